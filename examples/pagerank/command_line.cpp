#include "command_line.hpp"

namespace pagerank {
namespace {

constexpr const char* help_begin =
    R"(PageRank of Debian's package-dependency graph, with one-sided gets

  armature run -n 4 pagerank [OPTIONS]

)";

constexpr const char* help_end =
    R"(  --fields LIST       which fields make a dependency: depends, pre-depends, recommends,
                      suggests; default: depends,pre-depends
  --iterations N      end after so many; default: 1000
  --tolerance T       end when all scores together change by less; default: 1e-10
  --svg FILE          where to draw who fetched how much from whom; default: pagerank.svg
  --write-graph FILE  write the graph with all fields as a compact copy, and end
  --help              this text
)";

std::string help() { return help_begin + debian::SourceOptions::help() + help_end; }

std::vector<debian::Option> options_into(CommandLine& line) {
  using debian::parse_number;
  std::vector<debian::Option> options = line.source.options();
  options.push_back({"--fields", [&line](const std::string& value) {
                       line.fields = debian::Fields::parse(value);
                     }});
  options.push_back({"--iterations", [&line](const std::string& value) {
                       line.ranking.iterations_max =
                           parse_number("--iterations", value, 1, 1'000'000);
                     }});
  options.push_back({"--tolerance", [&line](const std::string& value) {
                       line.ranking.tolerance = parse_number("--tolerance", value, 0.0, 2.0);
                     }});
  options.push_back({"--svg", [&line](const std::string& value) { line.svg = value; }});
  options.push_back(
      {"--write-graph", [&line](const std::string& value) { line.write_graph = value; }});
  return options;
}

}  // namespace

ParsedCommandLine parse_command_line(const std::vector<std::string>& arguments) {
  ParsedCommandLine parsed;
  static_cast<debian::Answer&>(parsed) =
      debian::take_options(options_into(parsed.options), arguments, "pagerank", help());
  return parsed;
}

}  // namespace pagerank
