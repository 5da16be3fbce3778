// Finds the words that a text uses most often. No rank is named: algorithms go where things are.
#include <cctype>
#include <fstream>
#include <functional>
#include <iostream>
#include <sstream>
#include <stdexcept>
#include <string>
#include <unordered_map>
#include <utility>

#include <armature/algorithm.hpp>
#include <armature/armature.hpp>
#include <armature/container.hpp>
#include <armature/view.hpp>

constexpr const char* sample =
    "A rank puts and gets, and its neighbour need not know.\nWhat a rank has put, its neighbour "
    "gets, and a fence says when.\nBetween a put and a fence, a rank may compute;\nbetween a fence "
    "and a fence, a rank may not be mute.\n";

int main(int argc, char** argv) {
  return armature::run(argc, argv, [=](armature::World& world) {
    std::ifstream file(argc > 1 ? argv[1] : "");
    std::istringstream built_in(sample);
    std::istream& text = argc > 1 ? static_cast<std::istream&>(file) : built_in;
    const auto bytes = static_cast<std::size_t>(text.seekg(0, std::ios::end).tellg());
    if (!text) throw std::runtime_error("word_count: the text cannot be read");
    // Every member counts words: of the lines that begin in its blocks.
    constexpr std::size_t block = 1 << 20;
    std::unordered_map<std::string, long> mine;
    armature::distributed_vector<std::size_t> begins(world, bytes / block + 1);
    armature::generate(begins, [](std::size_t i) { return i * block; });
    armature::for_each(begins, [&](std::size_t begin) {
      std::string line, word;
      std::size_t at = begin;
      text.clear();
      text.seekg(static_cast<std::streamoff>(begin == 0 ? 0 : begin - 1));
      if (begin > 0 && std::getline(text, line)) at += line.size();
      while (at < begin + block && std::getline(text, line)) {
        at += (line += ' ').size();
        for (const unsigned char c : line)
          if (std::isalpha(c) != 0)
            word += static_cast<char>(std::tolower(c));
          else if (!word.empty())
            ++mine[std::exchange(word, {})];
      }
    });
    armature::distributed_map<std::string, long> counts(world);
    for (const auto& [word, count] : mine) counts.async_combine(word, count);
    counts.fence();
    const long total = counts.transform_reduce(0L, std::plus<>(), [](auto&, long n) { return n; });
    const auto turned = [](auto& word, long n) { return std::pair(-n, word); };
    const auto most = armature::top(armature::views::transformed(counts, turned), 5, std::less<>());
    armature::once(world, [&, different = counts.size()] {
      std::cout << total << " words, " << different << " different:\n";
      for (const auto& [count, word] : most) std::cout << -count << ' ' << word << '\n';
    });
  });
}
