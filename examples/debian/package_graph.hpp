// Dependencies among the packages of a Debian archive.
//
// Packages are numbered in the order of their names. A link says that one package names another in
// at least one dependency field, and remembers in which ones. So one graph answers both "what must
// be installed" (Depends, Pre-Depends) and "what is usually installed" (with Recommends).
#pragma once

#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace debian {

enum class Field : std::uint8_t {
  depends = 1,
  pre_depends = 2,
  recommends = 4,
  suggests = 8,
};

// A set of dependency fields.
class Fields {
 public:
  constexpr Fields() = default;
  constexpr Fields(Field field) : bits_(static_cast<std::uint8_t>(field)) {}

  // All four fields, and what a package cannot do without.
  static constexpr Fields all() { return from_bits(15); }
  static constexpr Fields required() { return Fields(Field::depends) | Field::pre_depends; }
  static constexpr Fields from_bits(std::uint8_t bits) {
    Fields fields;
    fields.bits_ = bits;
    return fields;
  }
  // Reads "depends,pre-depends"; throws std::invalid_argument that names the word not understood.
  static Fields parse(std::string_view list);

  constexpr std::uint8_t bits() const { return bits_; }
  constexpr bool meets(Fields other) const { return (bits_ & other.bits_) != 0; }
  constexpr Fields operator|(Fields other) const { return from_bits(bits_ | other.bits_); }
  constexpr bool operator==(const Fields&) const = default;
  std::string to_string() const;  // "Depends, Pre-Depends"

 private:
  std::uint8_t bits_ = 0;
};

struct Link {
  std::uint32_t from;  // the package that depends
  std::uint32_t to;    // the package it depends on
  Fields fields;

  bool operator==(const Link&) const = default;
};

// Input is not a package graph, or a damaged one; the message says where and why.
class GraphError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

struct PackageGraph {
  std::string origin;              // whose packages these are, for people
  std::vector<std::string> names;  // sorted, unique
  std::vector<Link> links;         // sorted by (from, to), unique, never from a package to itself

  std::size_t count_links(Fields fields) const;
};

}  // namespace debian
