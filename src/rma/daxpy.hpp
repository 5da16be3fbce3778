#pragma once

#include <cstddef>

#include "armature/accumulate.hpp"

namespace armature::rma {

/// x[i] += a * y[i] on `count` elements; neither atomic nor locked.
using Daxpy = void (*)(void* x, const void* y, std::size_t count, const void* a);

/// The kernel for that element type; the one without multiplication when the scale is 1.
Daxpy daxpy(armature::detail::Element element, const void* scale);

/// Adds to one element: x += a * y.
void add_one(armature::detail::Element element, void* x, const void* y, const void* a);

/// An element's bytes are 1 << element_shift: dividing by a number that is not known would take as
/// long as a short accumulate.
constexpr int element_shift(armature::detail::Element element) {
  using enum armature::detail::Element;
  return element == int32 || element == float32 ? 2 : element == complex128 ? 4 : 3;
}

}  // namespace armature::rma
