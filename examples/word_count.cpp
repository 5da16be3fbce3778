#include <algorithm>
#include <cctype>
#include <cstdio>
#include <fstream>
#include <functional>
#include <iostream>
#include <ranges>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include <armature/algorithm.hpp>
#include <armature/armature.hpp>
#include <armature/container.hpp>

// Finds the words that a text uses most often. No rank is named anywhere: containers know where
// things are, algorithms go where they are.

namespace {

constexpr const char* sample =
    "A rank puts and gets, and its neighbour need not know.\n"
    "What a rank has put, its neighbour gets, and a fence says when.\n"
    "Between a put and a fence, a rank may compute;\n"
    "between a fence and a fence, a rank may not be mute.\n";

std::vector<std::string> lines_of(std::istream& text) {
  std::vector<std::string> lines;
  for (std::string line; std::getline(text, line);) lines.push_back(line);
  return lines;
}

std::vector<std::string> words_of(const std::string& line) {
  std::vector<std::string> words(1);
  for (const unsigned char c : line) {
    if (std::isalpha(c) != 0)
      words.back() += static_cast<char>(std::tolower(c));
    else if (!words.back().empty())
      words.emplace_back();
  }
  if (words.back().empty()) words.pop_back();
  return words;
}

using Count = std::pair<std::string, long>;

bool is_more_frequent(const Count& a, const Count& b) {
  return a.second != b.second ? a.second > b.second : a.first < b.first;
}

}  // namespace

int main(int argc, char** argv) {
  std::ifstream file;
  std::istringstream built_in(sample);
  if (argc > 1) file.open(argv[1]);
  const std::vector<std::string> text =
      lines_of(argc > 1 ? static_cast<std::istream&>(file) : built_in);
  if (argc > 1 && (!file.is_open() || file.bad())) {
    std::fprintf(stderr, "word_count: %s cannot be read\n", argv[1]);
    return 2;
  }

  return armature::run(argc, argv, [text](armature::World& world) {
    // Every member makes its own lines.
    armature::distributed_vector<std::string> lines(world, text.size());
    armature::generate(lines, [&](std::size_t i) { return text[i]; });

    // A word is counted where it lives; the calls travel in large bundles.
    armature::distributed_map<std::string, long> counts(world);
    armature::for_each(lines, [&](const std::string& line) {
      for (const std::string& word : words_of(line)) counts.async_combine(word, 1);
    });
    counts.fence();

    auto frequent = armature::distributed_vector<Count>::from_local(world, counts.local());
    armature::sort(frequent, is_more_frequent);
    const long total = armature::transform_reduce(frequent, 0L, std::plus<>(),
                                                  [](const Count& c) { return c.second; });

    armature::once(world, [&] {
      std::cout << total << " words, " << frequent.size() << " different:\n";
      for (const auto& [word, count] : frequent.read(0, std::min<std::size_t>(5, frequent.size())))
        std::cout << count << ' ' << word << '\n';
    });
  });
}
