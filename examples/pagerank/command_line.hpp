// The program's options.
#pragma once

#include <string>
#include <vector>

#include "graph_source.hpp"
#include "package_graph.hpp"
#include "serial_pagerank.hpp"

namespace pagerank {

struct CommandLine {
  std::string source;  // empty: found
  Archives archives = Archives::all;
  Fields fields = Fields::required();
  RankingOptions ranking;
  std::string svg = "pagerank.svg";
  std::string write_graph;  // where to write a compact copy, then end
};

struct ParsedCommandLine {
  CommandLine options;
  std::string message;  // what to say instead of running: help, or what is wrong
  bool is_error = false;
};

ParsedCommandLine parse_command_line(const std::vector<std::string>& arguments);

}  // namespace pagerank
