#pragma once

#include <cstddef>

#include "armature/array/plan.hpp"
#include "armature/array/range.hpp"
#include "armature/array/section.hpp"

namespace armature::detail {

/// Part of a section: of its first dimension the elements of those numbers, which are inside and
/// have a step of 1. The others whole.
template <class T>
[[nodiscard]] array_section<T> part_of(const array_section<T>& section, const Range& numbers) {
  ArraySection part = section.section();
  const int axis = part.axes[0];
  if (axis < 0) {
    part.spread[0] = numbers.count();
  } else {
    Range& range = part.ranges[static_cast<std::size_t>(axis)];
    range = numbers.count() == 0 ? Range(0, 0)
                                 : Range::of(range[numbers.first()], numbers.count(), range.step());
  }
  return {section.store(), part};
}

}  // namespace armature::detail
