#include "fibers/option_reader.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "base/random.hpp"

namespace armature::fibers {
namespace {

using Names = OptionCall::Names;

int flag_of_word = 0;
const std::array<option, 8> words{{{"all", no_argument, nullptr, 'a'},
                                   {"also", no_argument, nullptr, 'a'},
                                   {"block", required_argument, nullptr, 'B'},
                                   {"blocks", optional_argument, nullptr, 1000},
                                   {"flag", no_argument, &flag_of_word, 7},
                                   {"x", required_argument, nullptr, 'X'},
                                   {"abc", optional_argument, nullptr, 1001},
                                   {nullptr, 0, nullptr, 0}}};

/// All that a program hears of its options, and the arguments as they are in the end.
struct Heard {
  std::string told, printed;
  bool operator==(const Heard&) const = default;
};

struct Case {
  std::vector<std::string> arguments;
  const char* letters;
  Names names;

  template <class Read>
  [[nodiscard]] Heard hear(Read read) const {
    std::vector<std::string> texts = arguments;
    std::vector<char*> all;
    for (std::string& text : texts) all.push_back(text.data());
    all.push_back(nullptr);
    Heard heard;
    testing::internal::CaptureStderr();
    for (int i = 0; i < 40; ++i) {
      OptionVariables seen;
      int word = -1;
      const int found = read(static_cast<int>(texts.size()), all.data(), word, seen, i == 0);
      heard.told += std::to_string(found) + " " + std::to_string(seen.index) + " " +
                    (seen.argument != nullptr ? seen.argument : "none") + " " +
                    std::to_string(word) + " " +
                    (found == '?' || found == ':' ? std::to_string(seen.option) : "") + "\n";
      if (found == -1) break;
    }
    for (const char* const text : std::span(all).first(texts.size()))
      heard.told += std::string(text) + "\n";
    heard.printed = testing::internal::GetCapturedStderr();
    return heard;
  }

  [[nodiscard]] Heard of_library() const {
    return hear([this](int count, char** all, int& word, OptionVariables& seen, bool begins) {
      if (begins) optind = 0;
      const int found = names == Names::letters ? getopt(count, all, letters)
                        : names == Names::words
                            ? getopt_long(count, all, letters, words.data(), &word)
                            : getopt_long_only(count, all, letters, words.data(), &word);
      seen = {optarg, optind, opterr, optopt};
      return found;
    });
  }

  [[nodiscard]] Heard of_reader() const {
    OptionState state;
    OptionVariables variables;
    return hear([&](int count, char** all, int& word, OptionVariables& seen, bool) {
      const bool has_words = names != Names::letters;
      const int found = read_option(state, variables,
                                    {.arguments = {all, static_cast<std::size_t>(count)},
                                     .letters = letters,
                                     .words = has_words ? words.data() : nullptr,
                                     .word = has_words ? &word : nullptr,
                                     .names = names});
      seen = variables;
      return found;
    });
  }
};

TEST(OptionReader, ReadsAsTheLibraryDoes) {
  const std::array<const char*, 7> letters{
      "abx:y::", "+abx:y::", "-abx:y::", ":abx:y::", "+:ax:", "W;ax:", ""};
  const std::array<const char*, 24> pieces{
      "-a",     "-ab",     "-abx5",    "-x",      "-x",     "-y",        "-yz",  "-q",
      "--",     "-",       "one",      "two",     "--all",  "--al",      "--a",  "--block",
      "--bloc", "--blo=3", "--blocks", "--all=1", "--flag", "--nothing", "-abc", "-W"};
  base::Random random(41);
  for (int i = 0; i < 4'000; ++i) {
    Case one{
        {"program"}, letters[random.below(letters.size())], static_cast<Names>(random.below(3))};
    for (std::uint64_t count = random.below(7); count > 0; --count)
      one.arguments.emplace_back(pieces[random.below(pieces.size())]);
    const Heard expected = one.of_library(), found = one.of_reader();
    std::string shown;
    for (const std::string& text : one.arguments) shown += text + " ";
    ASSERT_EQ(expected.told, found.told) << shown << one.letters << static_cast<int>(one.names);
    ASSERT_EQ(expected.printed, found.printed) << shown << one.letters;
  }
}

TEST(OptionReader, TwoReadAtTheSameTime) {
  const Case one{{"program", "-ab", "-x", "1", "--", "-a"}, "abx:", Names::letters};
  std::array<std::vector<int>, 2> found;
  std::array<OptionState, 2> states;
  std::array<OptionVariables, 2> variables;
  std::array<std::vector<std::string>, 2> texts{one.arguments, one.arguments};
  std::array<std::vector<char*>, 2> all;
  for (int turn = 0; turn < 4; ++turn)
    for (std::size_t who : {0u, 1u}) {
      if (all[who].empty())
        for (std::string& text : texts[who]) all[who].push_back(text.data());
      found[who].push_back(read_option(states[who], variables[who],
                                       {.arguments = all[who], .letters = one.letters}));
    }
  for (std::size_t who : {0u, 1u}) {
    EXPECT_EQ(found[who], (std::vector<int>{'a', 'b', 'x', -1}));
    EXPECT_EQ(variables[who].index, 5);
  }
}

}  // namespace
}  // namespace armature::fibers
