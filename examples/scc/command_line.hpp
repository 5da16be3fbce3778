// The program's options.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "debian/options.hpp"
#include "debian/package_graph.hpp"

namespace scc {

struct CommandLine {
  debian::SourceOptions source;
  std::vector<debian::Fields> graphs = {debian::Fields::required(), debian::Fields::all()};
  // Aggregation factors to be timed, 0 is adaptive.
  std::vector<std::uint32_t> aggregations = {1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048, 0};
  int repeat = 5;
  bool meshes = false;  // instead of packages
  std::string svg = "scc.svg";
};

struct ParsedCommandLine : debian::Answer {
  CommandLine options;
};

ParsedCommandLine parse_command_line(const std::vector<std::string>& arguments);

}  // namespace scc
