// Options as the programs on Debian's packages take them: "--name VALUE" or "--name=VALUE".
//
// A program lists its options with what each does with its value; of mistakes that throws
// std::invalid_argument, with a message that names the option.
#pragma once

#include <charconv>
#include <functional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include "debian/graph_source.hpp"

namespace debian {

struct Option {
  std::string_view name;
  std::function<void(const std::string& value)> take;
};

// The program is to say this instead of running; nothing when the message is empty.
struct Answer {
  std::string message;
  bool is_error = false;
};

// Calls `take` for each option given. Answers with `help` when that is asked for, and with
// "program: what is wrong" after a mistake.
[[nodiscard]] Answer take_options(std::span<const Option> options,
                                  const std::vector<std::string>& arguments,
                                  const std::string& program, const std::string& help);

// The whole of `text` as a number from min to max.
template <class Number>
Number parse_number(std::string_view option, std::string_view text, Number min, Number max) {
  Number number{};
  const auto* end = text.data() + text.size();
  const auto result = std::from_chars(text.data(), end, number);
  if (result.ec != std::errc() || result.ptr != end || !(number >= min && number <= max)) {
    throw std::invalid_argument(std::string(option) + ": '" + std::string(text) +
                                "' is not a number that it can take");
  }
  return number;
}

// Options for the graph to read: --source FILE and --archives WHICH, with their lines for a help
// text.
struct SourceOptions {
  std::string file;  // empty: found
  Archives archives = Archives::all;

  std::vector<Option> options();
  static std::string help();
};

}  // namespace debian
