#include "command_line.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstddef>
#include <stdexcept>
#include <string_view>

namespace pagerank {
namespace {

constexpr const char* help =
    R"(PageRank of Debian's package-dependency graph, with one-sided gets

  armature run -n 4 pagerank [OPTIONS]

  --source FILE       a Packages file (compressed or not) or a compact copy;
                      default: this machine's index of bookworm, else the compact copy
  --archives WHICH    of this machine's index 'all' (default), with security and other
                      updates, or 'main' alone, which changes with point releases only
  --fields LIST       which fields make a dependency: depends, pre-depends, recommends,
                      suggests; default: depends,pre-depends
  --iterations N      end after so many; default: 1000
  --tolerance T       end when all scores together change by less; default: 1e-10
  --svg FILE          where to draw who fetched how much from whom; default: pagerank.svg
  --write-graph FILE  write the graph with all fields as a compact copy, and end
  --help              this text
)";

constexpr std::array<std::string_view, 7> options_with_value = {
    "--source", "--archives", "--fields", "--iterations", "--tolerance", "--svg", "--write-graph"};

template <class Number>
Number parse_number(const std::string& option, const std::string& text, Number min, Number max) {
  Number number{};
  const char* end = text.data() + text.size();
  const auto result = std::from_chars(text.data(), end, number);
  if (result.ec != std::errc() || result.ptr != end || !(number >= min && number <= max)) {
    throw std::invalid_argument(option + ": '" + text + "' is not a number that it can take");
  }
  return number;
}

Archives parse_archives(const std::string& text) {
  if (text == "main") return Archives::main;
  if (text == "all") return Archives::all;
  throw std::invalid_argument("--archives: takes 'main' or 'all', not '" + text + "'");
}

void take_option(CommandLine& options, const std::string& option, const std::string& value) {
  if (option == "--source") {
    options.source = value;
  } else if (option == "--archives") {
    options.archives = parse_archives(value);
  } else if (option == "--fields") {
    options.fields = Fields::parse(value);
  } else if (option == "--iterations") {
    options.ranking.iterations_max = parse_number(option, value, 1, 1'000'000);
  } else if (option == "--tolerance") {
    options.ranking.tolerance = parse_number(option, value, 0.0, 2.0);
  } else if (option == "--svg") {
    options.svg = value;
  } else {
    options.write_graph = value;
  }
}

}  // namespace

ParsedCommandLine parse_command_line(const std::vector<std::string>& arguments) {
  ParsedCommandLine parsed;
  try {
    for (std::size_t i = 0; i < arguments.size(); ++i) {
      std::string option = arguments[i];
      if (option == "--help" || option == "-h") {
        parsed.message = help;
        return parsed;
      }
      std::string value;
      if (const auto equals = option.find('='); equals != std::string::npos) {
        value = option.substr(equals + 1);
        option.resize(equals);
      } else if (i + 1 < arguments.size()) {
        value = arguments[++i];
      }
      if (std::find(options_with_value.begin(), options_with_value.end(), option) ==
          options_with_value.end()) {
        throw std::invalid_argument("no option '" + option + "'; --help lists them");
      }
      if (value.empty()) throw std::invalid_argument(option + ": a value is missing");
      take_option(parsed.options, option, value);
    }
  } catch (const std::invalid_argument& error) {
    parsed.message = std::string("pagerank: ") + error.what() + "\n";
    parsed.is_error = true;
  }
  return parsed;
}

}  // namespace pagerank
