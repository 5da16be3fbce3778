#include "bench/words.hpp"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

#include "bench/sample.hpp"
#include "bench/temporary_folder.hpp"

namespace armature::bench {

namespace {

/// Words of 2 to 9 letters, of which the n-th is 1/n as frequent as the first.
void write_text(const std::string& path, std::size_t bytes) {
  std::mt19937_64 random(7);
  constexpr std::size_t count = 20'000;
  std::vector<std::string> words;
  for (std::size_t n = 0; n < count; ++n) {
    std::string word(2 + random() % 8, 'a');
    for (char& letter : word) letter = static_cast<char>('a' + random() % 26);
    words.push_back(word);
  }
  std::ofstream text(path);
  for (std::size_t written = 0; written < bytes;) {
    std::string line;
    for (int i = 0; i < 12; ++i) {
      // n with the probability log(1 + 1/n) / log(1 + count).
      const double at = static_cast<double>(random() >> 11) / static_cast<double>(1ULL << 53);
      const auto n = static_cast<std::size_t>(std::pow(count + 1.0, at));
      line += words[std::min(n, count) - 1];
      line += i < 11 ? ' ' : '\n';
    }
    text << line;
    written += line.size();
  }
  if (!text.flush()) throw std::runtime_error("bench: cannot write " + path);
}

/// The lines that have a number first, such as `17 word`.
std::vector<std::string> counts_in(const std::string& output) {
  std::vector<std::string> counts;
  for (std::size_t at = 0; at < output.size();) {
    const std::size_t end = std::min(output.find('\n', at), output.size());
    std::string line = output.substr(at, end - at);
    at = end + 1;
    line.erase(0, line.find_first_not_of(' '));
    if (std::ranges::count(line, ' ') == 1) counts.push_back(line);
  }
  return counts;
}

}  // namespace

Row words_row(std::size_t bytes) {
  const TemporaryFolder folder;
  const std::string text = folder.path() + "/text";
  write_text(text, bytes);
  const std::string quoted = "'" + text + "'";
  const double start = now_ns();
  const std::string ours = output_of({std::filesystem::read_symlink("/proc/self/exe").string(),
                                      "run", "-n", "2", path_of(word_count_program), text},
                                     "");
  const double between = now_ns();
  const std::string theirs =
      output_of({"/bin/sh", "-c",
                 "tr -s ' ' '\\n' <" + quoted + " | sort -T '" + folder.path() +
                     "' | uniq -c | sort -k1,1nr -k2 | head -n 5"},
                "LC_ALL=C");
  const double end = now_ns();
  if (counts_in(ours) != counts_in(theirs) || counts_in(ours).size() != 5)
    throw std::runtime_error("bench: word_count has found " + ours + "and sort " + theirs);
  return {.op = "words.p2", .bytes = bytes, .ns = between - start, .limit_ns = end - between};
}

}  // namespace armature::bench
