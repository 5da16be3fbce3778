#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <vector>

#include "armature/error.hpp"

namespace armature::detail {

/// The members of a team at the places of an array's process grid. Members are numbered as the
/// elements of a matrix in C; an array that is aligned with some dimensions of another has the
/// numbers of that one's grid. Where a dimension is replicated, several members have the same
/// place: the first one has the original, the others copies.
class ArrayPlacement {
 public:
  using Place = std::array<int, 8>;

  ArrayPlacement() = default;
  /// A grid of these numbers of positions, `copies` of them where a dimension is replicated (else
  /// 1), in which case it has one position for an array.
  ARMATURE_API ArrayPlacement(std::span<const int> positions, std::span<const int> copies);

  /// The place for an array of other dimensions: dimension k has the positions of dimension
  /// dimensions[k] of this grid. The positions of the rest are 0, or copies if `is_replicated`.
  [[nodiscard]] ARMATURE_API ArrayPlacement selected(std::span<const int> dimensions,
                                                     bool is_replicated) const;
  /// With a dimension more of one position, which becomes number `d`.
  [[nodiscard]] ARMATURE_API ArrayPlacement inserted(int d) const;

  /// The member that has the original there.
  [[nodiscard]] int member(const Place& at) const {
    int member = 0;
    for (std::size_t d = 0; d < strides_.size(); ++d) member += at[d] * strides_[d];
    return member;
  }
  /// The place of a member; the first coordinate is -1 if the grid leaves it out.
  [[nodiscard]] ARMATURE_API Place place(int member) const;
  /// How many members have each element.
  [[nodiscard]] int copies() const { return static_cast<int>(copies_.size()); }
  /// The member that has copy number `copy` of what `original` has. Copy 0 is the original.
  [[nodiscard]] int member_with_copy(int original, int copy) const {
    return original + copies_[static_cast<std::size_t>(copy)];
  }
  /// The number of the copy that a member has; -1 if the grid leaves it out.
  [[nodiscard]] ARMATURE_API int copy_of(int member) const;
  [[nodiscard]] bool is_original(int member) const { return copy_of(member) == 0; }

  friend bool operator==(const ArrayPlacement&, const ArrayPlacement&) = default;

 private:
  [[nodiscard]] Place place_of_original(int original) const;

  std::vector<int> positions_;
  std::vector<int> strides_;    // from a position to the next, in members
  std::vector<int> copies_{0};  // members behind the original
};

}  // namespace armature::detail
