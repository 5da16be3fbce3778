// The package graph comes from a file the user names, the machine's own package index, or the
// compact copy in this repository.
//
// The machine's index is what apt keeps of bookworm's amd64 archives. Security and updates come
// before main, since the first to name a package counts, as on a machine that is kept up to date.
// Figures that must not change from week to week are had from the main archive alone. apt keeps
// indices compressed in ways of its own choosing; its own tool unpacks them, so that nothing here
// needs to know them.
#pragma once

#include <string>
#include <vector>

#include "debian/package_graph.hpp"

namespace debian {

enum class Archives {
  main,  // the release as published
  all,   // with security and other updates, as a machine installs
};

struct Source {
  std::vector<std::string> files;  // read in this order
  std::string place;               // what kind of place that is, for people
  std::string content;             // what is there, unless the file says so itself
};

// Chooses what read_graph is to read; `file` may be empty. `lists` is apt's folder of indices.
// Throws GraphError when there is nothing to read.
Source find_source(const std::string& file, Archives archives,
                   const std::string& lists = "/var/lib/apt/lists");

// Throws GraphError naming the file, and the line where there is one.
PackageGraph read_graph(const Source& source);

// Says what was read from where, in lines that begin with a word and 14 columns.
std::string describe(const Source& source, const PackageGraph& graph);

}  // namespace debian
