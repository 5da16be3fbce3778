#pragma once

#include <cstddef>

#include "descriptor.hpp"

// Elements of Fortran's types, and assignments between types and kinds (Fortran 2018, 10.2.1.3).

namespace caf {

struct ElementType {
  Type type = Type::unknown;
  int kind = 0;
  std::size_t bytes = 0;

  friend bool operator==(const ElementType&, const ElementType&) = default;
};

/// Elements in memory, `stride` bytes from one's begin to the next one's; 0: all are one.
struct Elements {
  std::byte* begin;
  std::ptrdiff_t stride;
};
struct ConstElements {
  const std::byte* begin;
  std::ptrdiff_t stride;
};

/// Assigns `count` elements of one type to as many of another. Throws Refusal where there is no
/// such assignment.
using Assign = void (*)(Elements to, const ElementType& to_type, ConstElements from,
                        const ElementType& from_type, std::size_t count);
[[nodiscard]] Assign assignment(const ElementType& to, const ElementType& from);

[[nodiscard]] const char* name_of(Type type);

}  // namespace caf
