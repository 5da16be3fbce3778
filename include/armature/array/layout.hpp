#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "armature/array/axis.hpp"
#include "armature/array/distribution.hpp"
#include "armature/array/placement.hpp"
#include "armature/array/range.hpp"

namespace armature {

inline constexpr int array_dimensions_max = 8;

/// The dimension whose indices are next to each other in memory: the last one, as in C, or the
/// first one, as in Fortran.
enum class Order { row_major, column_major };

namespace detail {

/// A number for each dimension.
using PerDimension = std::array<std::ptrdiff_t, array_dimensions_max>;

/// The parts of a layout; see array_options.
struct ArrayLayoutRequest {
  std::string name;
  std::span<const std::ptrdiff_t> shape;
  std::span<const Distribution> distribution;
  std::span<const int> grid;  // 0: to be chosen
  std::span<const std::ptrdiff_t> ghosts;
  Order order = Order::row_major;
  int members = 1;
};

/// The parts of an alignment; see array_alignment.
struct ArrayAlignmentRequest {
  std::string name;  // of the new array
  std::string other;
  std::span<const std::ptrdiff_t> shape;
  std::span<const int> dimensions;
  std::span<const std::ptrdiff_t> first;
  bool is_replicated = false;
};

/// A member's own elements in its memory, in elements.
struct ArrayBlock {
  PerDimension counts{};
  PerDimension strides{};
  std::ptrdiff_t first = 0;  // where the first own element lies: behind ghosts
  std::ptrdiff_t size = 0;   // with ghosts
};

/// How an array is spread over the members of a team: the same at all of them.
class ArrayLayout {
 public:
  ArrayLayout() = default;
  /// Throws Error(bad_argument), naming the array.
  ARMATURE_API explicit ArrayLayout(const ArrayLayoutRequest& request);

  [[nodiscard]] int dimensions() const { return static_cast<int>(axes_.size()); }
  [[nodiscard]] const ArrayAxis& axis(int d) const { return axes_[static_cast<std::size_t>(d)]; }
  [[nodiscard]] std::ptrdiff_t ghosts(int d) const { return ghosts_[static_cast<std::size_t>(d)]; }
  [[nodiscard]] bool has_ghosts() const { return has_ghosts_; }
  [[nodiscard]] Order order() const { return order_; }
  [[nodiscard]] int members() const { return members_; }
  [[nodiscard]] ARMATURE_API std::ptrdiff_t size() const;

  /// The members at the places of the grid.
  [[nodiscard]] const ArrayPlacement& placement() const { return placement_; }
  [[nodiscard]] std::array<int, array_dimensions_max> place(int member) const {
    return placement_.place(member);
  }

  [[nodiscard]] ARMATURE_API ArrayBlock block(int member) const;
  /// The block at a place of the grid.
  [[nodiscard]] ARMATURE_API ArrayBlock
  block_at(const std::array<int, array_dimensions_max>& at) const;

  /// The place of an element: the member that has the original, and how many elements behind the
  /// beginning of its memory.
  struct Location {
    int member = 0;
    std::ptrdiff_t offset = 0;
  };
  /// Requires indices within the array.
  [[nodiscard]] ARMATURE_API Location locate(const std::ptrdiff_t* indices) const;

  /// This layout with another dimension in place of `d`, and without ghosts. It has as many
  /// positions.
  [[nodiscard]] ARMATURE_API ArrayLayout replaced(int d, ArrayAxis axis) const;
  /// This layout with a dimension more, which is not divided and becomes number `d`; without
  /// ghosts.
  [[nodiscard]] ARMATURE_API ArrayLayout inserted(int d, std::ptrdiff_t extent) const;
  /// The layout of an array that is aligned with this one: see distributed_array::like. Throws
  /// Error(bad_argument), which names both arrays.
  [[nodiscard]] ARMATURE_API ArrayLayout aligned(const ArrayAlignmentRequest& request) const;
  /// Whether each element is the same one of the same member in both. Ghosts may differ.
  [[nodiscard]] bool is_aligned_with(const ArrayLayout& other) const {
    return order_ == other.order_ && placement_ == other.placement_ && axes_ == other.axes_;
  }

  friend bool operator==(const ArrayLayout&, const ArrayLayout&) = default;

 private:
  std::vector<ArrayAxis> axes_;
  ArrayPlacement placement_;
  std::vector<std::ptrdiff_t> ghosts_;
  bool has_ghosts_ = false;
  Order order_ = Order::row_major;
  int members_ = 1;
};

/// Chooses how many positions each dimension gets: `grid` has the number of those that are given,
/// and 0 for the others. All members are used, blocks touch each other as little as can be, and of
/// equals the one is taken that leaves the dimension whole which lies together in memory.
ARMATURE_API void choose_grid(std::span<const std::ptrdiff_t> shape, int members, Order order,
                              std::span<int> grid);

}  // namespace detail
}  // namespace armature
