// The program's options.
#pragma once

#include <string>
#include <vector>

#include "debian/options.hpp"
#include "debian/package_graph.hpp"
#include "serial_pagerank.hpp"

namespace pagerank {

struct CommandLine {
  debian::SourceOptions source;
  debian::Fields fields = debian::Fields::required();
  RankingOptions ranking;
  std::string svg = "pagerank.svg";
  std::string write_graph;  // where to write a compact copy, then end
};

struct ParsedCommandLine : debian::Answer {
  CommandLine options;
};

ParsedCommandLine parse_command_line(const std::vector<std::string>& arguments);

}  // namespace pagerank
