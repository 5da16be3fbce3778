#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <vector>

#include "armature/array/layout.hpp"
#include "armature/array/range.hpp"

namespace armature::detail {

/// Part of an array: a range of each dimension. Dimensions of which it takes one index are not
/// dimensions of the section; the others may be in another order than the array's.
struct ArraySection {
  int dimensions = 0;
  std::array<Range, array_dimensions_max> ranges;  // of the array's dimensions
  int open = 0;                                    // the section's own dimensions,
  std::array<int, array_dimensions_max> axes{};    // which of the array's each is, or -1:
  PerDimension spread{};                           // then it has the same elements so many times
  bool is_periodic = false;  // indices may lie outside, and are meant modulo the extent

  friend bool operator==(const ArraySection&, const ArraySection&) = default;

  [[nodiscard]] std::ptrdiff_t count(int k) const {
    const int axis = axes[static_cast<std::size_t>(k)];
    return axis < 0 ? spread[static_cast<std::size_t>(k)]
                    : ranges[static_cast<std::size_t>(axis)].count();
  }
  [[nodiscard]] std::ptrdiff_t size() const {
    std::ptrdiff_t size = 1;
    for (int k = 0; k < open; ++k) size *= count(k);
    return size;
  }
  [[nodiscard]] ARMATURE_API std::string shape_text() const;
  [[nodiscard]] ARMATURE_API bool has_shape_of(const ArraySection& other) const;
};

/// The section of those ranges, one for each dimension. Throws Error(bad_argument), which names the
/// array, the index and the bound.
[[nodiscard]] ARMATURE_API ArraySection make_section(const std::string& name,
                                                     const ArrayLayout& layout, const Range* ranges,
                                                     bool is_periodic);
/// Throws Error(bad_argument) when an index lies outside.
ARMATURE_API void require_index(const std::string& name, const ArrayLayout& layout,
                                const std::ptrdiff_t* indices);

/// Elements at regular distances in two memories: counts, strides and first places in elements.
struct ArrayBox {
  struct Level {
    std::ptrdiff_t count = 0;
    std::ptrdiff_t remote_stride = 0;
    std::ptrdiff_t local_stride = 0;
  };
  std::ptrdiff_t remote = 0;
  std::ptrdiff_t local = 0;
  int levels = 0;
  std::array<Level, array_dimensions_max> level{};  // what lies nearest to each other first
};

/// The elements that are exchanged with one member.
struct ArrayPartner {
  int member = 0;
  std::vector<ArrayBox> boxes;
};

/// The section with one more dimension, number `k`, along which it has the same elements `count`
/// times. Throws Error(bad_argument) when there cannot be such a dimension.
[[nodiscard]] ARMATURE_API ArraySection spread_section(const std::string& name,
                                                       const ArraySection& section, int k,
                                                       std::ptrdiff_t count);

/// Parts of a section with their members; the local side is a view with these strides, one for each
/// dimension of the section.
[[nodiscard]] ARMATURE_API std::vector<ArrayPartner> plan_section(const ArrayLayout& layout,
                                                                  const ArraySection& section,
                                                                  const PerDimension& strides);

/// The elements that member `me` has of one section, and who has them of the other, which is of the
/// same shape.
[[nodiscard]] ARMATURE_API std::vector<ArrayPartner> plan_copy(const ArrayLayout& from,
                                                               const ArraySection& from_section,
                                                               int me, const ArrayLayout& to,
                                                               const ArraySection& to_section);

/// The members that have what the ghosts of member `me` stand for. `periodic` says for which
/// dimensions the array goes on at its other end. Ghosts that lie outside in more than
/// `outside_max` dimensions are left out: 1 means faces alone, 2 edges as well.
[[nodiscard]] ARMATURE_API std::vector<ArrayPartner> plan_ghosts(
    const ArrayLayout& layout, int me, const std::array<bool, array_dimensions_max>& periodic,
    int outside_max);

}  // namespace armature::detail
