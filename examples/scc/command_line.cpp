#include "command_line.hpp"

#include <string_view>

namespace scc {
namespace {

constexpr const char* help_begin =
    R"(Circles of Debian packages that need each other, found with fine-grained remote methods

  armature run -n 4 scc [OPTIONS]

)";

constexpr const char* help_end =
    R"(  --fields LIST       which fields make a dependency: depends, pre-depends, recommends,
                      suggests; default: two graphs, depends,pre-depends and all four
  --aggregation LIST  how many calls travel together, each is timed: numbers from 1 to 4096,
                      or adaptive; default: 1,2,4,...,2048,adaptive
  --repeat N          how often each is timed, the best counts; default: 5
  --input WHICH       packages (default), or meshes: ten of 10,000 vertices, 338 components
  --svg FILE          where to draw the times; default: scc.svg
  --help              this text
)";

std::vector<std::uint32_t> parse_aggregations(std::string_view list) {
  std::vector<std::uint32_t> aggregations;
  while (true) {
    const auto comma = list.find(',');
    const auto word = list.substr(0, comma);
    aggregations.push_back(
        word == "adaptive" ? 0
                           : debian::parse_number<std::uint32_t>("--aggregation", word, 1, 4096));
    if (comma == std::string_view::npos) return aggregations;
    list.remove_prefix(comma + 1);
  }
}

std::vector<debian::Option> options_into(CommandLine& line) {
  std::vector<debian::Option> options = line.source.options();
  options.push_back({"--fields", [&line](const std::string& value) {
                       line.graphs = {debian::Fields::parse(value)};
                     }});
  options.push_back({"--aggregation", [&line](const std::string& value) {
                       line.aggregations = parse_aggregations(value);
                     }});
  options.push_back({"--repeat", [&line](const std::string& value) {
                       line.repeat = debian::parse_number("--repeat", value, 1, 1000);
                     }});
  options.push_back({"--input", [&line](const std::string& value) {
                       if (value != "packages" && value != "meshes")
                         throw std::invalid_argument(
                             "--input: takes 'packages' or 'meshes', not '" + value + "'");
                       line.meshes = value == "meshes";
                       if (line.meshes) line.graphs = {debian::Fields::required()};
                     }});
  options.push_back({"--svg", [&line](const std::string& value) { line.svg = value; }});
  return options;
}

}  // namespace

ParsedCommandLine parse_command_line(const std::vector<std::string>& arguments) {
  ParsedCommandLine parsed;
  static_cast<debian::Answer&>(parsed) =
      debian::take_options(options_into(parsed.options), arguments, "scc",
                           help_begin + debian::SourceOptions::help() + help_end);
  return parsed;
}

}  // namespace scc
