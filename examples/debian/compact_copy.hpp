// A package graph in one small file, for machines that have no package index of their own.
//
// Debian's index is 50 MB of text; names and links alone are 1.5 MB, and compressed under 0.7 MB,
// which a repository can keep. The layout, after a line that names the format, is one zstd frame
// with checksum; in it, all numbers as LEB128:
//
//   origin     length, bytes
//   sizes      number of packages, number of links
//   names      per package: bytes shared with the previous name, length of the rest, the rest
//   degrees    per package: how many links leave it
//   targets    per link: distance from the previous target of the same package (the first: from 0)
//   fields     per link: one byte, the fields that mention it
//
// Like with like compresses best: hence four columns, not one record per package.
// A file that is cut off, damaged or not of this format is a GraphError.
#pragma once

#include <string>
#include <string_view>

#include "debian/package_graph.hpp"

namespace debian {

// True when the file begins like a compact copy.
bool is_compact_copy(std::string_view file_bytes);

std::string write_compact_copy(const PackageGraph& graph);

// `name` is for messages.
PackageGraph read_compact_copy(std::string_view file_bytes, const std::string& name);

}  // namespace debian
