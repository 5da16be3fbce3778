// Reads Debian package indices ("Packages" files) into a package graph.
//
// What counts as a dependency is a choice; this is the one made here:
//   * a package is a name; the first stanza that bears it counts, further ones are passed over
//     (the main archive of bookworm lists four names twice; of several indices, give the one with
//     the newest versions first);
//   * every alternative of "a | b" counts, versions and architectures do not;
//   * a name that no package bears (a virtual package, provided by others) is left out, and so is
//     a package's mention of itself;
//   * a pair of packages counts once, however often and in however many fields it appears.
// With Depends and Pre-Depends, this gives for bookworm's amd64 indices of security, updates and
// main, read in that order, 63,666 packages and 248,336 dependencies on the day this was written;
// for the main archive alone 63,436 and 247,686. Both have 58 circles of packages that need each
// other, the largest of 7 around ruby. With Recommends and Suggests the former has 1,802, the
// largest of 6,577 packages, the latter 1,799 and 6,578.
//
// The index comes from outside, so nothing in it is trusted: what does not follow the format
// is a GraphError that names file and line.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "debian/package_graph.hpp"

namespace debian {

// Takes one or several indices in pieces of any size; finish() gives the graph.
class PackageIndex {
 public:
  void begin_file(std::string name);
  void feed(std::string_view text);
  void end_file();
  PackageGraph finish();

 private:
  struct Mention {
    std::uint32_t from;
    std::uint32_t to;
    Fields fields;
  };

  void take_line(std::string_view line);
  void end_stanza();
  void take_relations(std::uint32_t from, Field field, std::string_view text);
  void take_relation(std::uint32_t from, Field field, std::string_view text);
  std::uint32_t number_of(std::string_view name);
  [[noreturn]] void fail(const std::string& what) const;

  std::string file_;
  std::size_t line_number_ = 0;
  std::string unfinished_line_;

  // The stanza being read: the package's name, and the text of its four dependency fields.
  std::string package_;
  std::array<std::string, 4> relations_;
  std::string* open_field_ = nullptr;  // where a continuation line belongs
  bool in_stanza_ = false;
  bool in_field_ = false;

  // All names seen, packages or not, in order of appearance.
  std::unordered_map<std::string, std::uint32_t> numbers_;
  std::vector<bool> is_package_;
  std::vector<Mention> mentions_;
};

}  // namespace debian
