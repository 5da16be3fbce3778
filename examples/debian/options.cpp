#include "debian/options.hpp"

#include <algorithm>
#include <cstddef>

namespace debian {
namespace {

Archives parse_archives(const std::string& text) {
  if (text == "main") return Archives::main;
  if (text == "all") return Archives::all;
  throw std::invalid_argument("--archives: takes 'main' or 'all', not '" + text + "'");
}

// False when help is asked for: then what follows is not read.
bool take(std::span<const Option> options, const std::vector<std::string>& arguments) {
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    std::string name = arguments[i];
    if (name == "--help" || name == "-h") return false;
    std::string value;
    if (const auto equals = name.find('='); equals != std::string::npos) {
      value = name.substr(equals + 1);
      name.resize(equals);
    } else if (i + 1 < arguments.size()) {
      value = arguments[++i];
    }
    const auto option = std::find_if(options.begin(), options.end(),
                                     [&](const Option& each) { return each.name == name; });
    if (option == options.end()) {
      throw std::invalid_argument("no option '" + name + "'; --help lists them");
    }
    if (value.empty()) throw std::invalid_argument(name + ": a value is missing");
    option->take(value);
  }
  return true;
}

}  // namespace

Answer take_options(std::span<const Option> options, const std::vector<std::string>& arguments,
                    const std::string& program, const std::string& help) {
  try {
    if (take(options, arguments)) return {};
    return {help, false};
  } catch (const std::invalid_argument& error) {
    return {program + ": " + error.what() + "\n", true};
  }
}

std::vector<Option> SourceOptions::options() {
  return {{"--source", [this](const std::string& value) { file = value; }},
          {"--archives", [this](const std::string& value) { archives = parse_archives(value); }}};
}

std::string SourceOptions::help() {
  return R"(  --source FILE       a Packages file (compressed or not) or a compact copy;
                      default: this machine's index of bookworm, else the compact copy
  --archives WHICH    of this machine's index 'all' (default), with security and other
                      updates, or 'main' alone, which changes with point releases only
)";
}

}  // namespace debian
