#pragma once

#include <cstddef>
#include <vector>

#include "armature/array/distribution.hpp"
#include "armature/array/range.hpp"
#include "armature/error.hpp"

namespace armature::detail {

/// Part of a range that one position has at equal distances: indices number `at`, `at + step`...
/// of the range lie at `local`, `local + local_step`... of that position. `step` is positive.
struct ArrayRun {
  std::ptrdiff_t at = 0;
  std::ptrdiff_t step = 1;
  std::ptrdiff_t count = 0;
  std::ptrdiff_t local = 0;
  std::ptrdiff_t local_step = 0;
};

/// One dimension of an array: which position of the grid has which index, and where among its own.
class ArrayAxis {
 public:
  ArrayAxis() = default;
  /// Throws Error(bad_argument) that names `what` if the distribution does not fit.
  ARMATURE_API ArrayAxis(const char* what, const Distribution& distribution, std::ptrdiff_t extent,
                         int positions);

  [[nodiscard]] std::ptrdiff_t extent() const { return extent_; }
  [[nodiscard]] int positions() const { return positions_; }
  /// Whether each position's indices are neighbours.
  [[nodiscard]] bool is_contiguous() const { return kind_ == Kind::bounds; }
  /// A contiguous axis: position p has the indices [first(p), first(p + 1)).
  [[nodiscard]] std::ptrdiff_t first(int position) const {
    return bounds_[static_cast<std::size_t>(position)];
  }

  /// Requires 0 <= i < extent(), as local() does.
  [[nodiscard]] ARMATURE_API int owner(std::ptrdiff_t i) const;
  [[nodiscard]] ARMATURE_API std::ptrdiff_t local(std::ptrdiff_t i) const;
  /// How many indices a position has.
  [[nodiscard]] ARMATURE_API std::ptrdiff_t count(int position) const;
  /// The index at place `local` of a position.
  [[nodiscard]] ARMATURE_API std::ptrdiff_t global(int position, std::ptrdiff_t local) const;

  /// Appends the runs of a range that lies within the axis; `at` is added to their numbers.
  ARMATURE_API void append_runs(int position, const Range& range, std::ptrdiff_t at,
                                std::vector<ArrayRun>& runs) const;
  /// Does so for any range of a periodic axis: index i is that of i modulo the extent.
  ARMATURE_API void append_periodic_runs(int position, const Range& range,
                                         std::vector<ArrayRun>& runs) const;

  /// The indices from `first` on, `extent` of them, at the positions where they are. Requires that
  /// there are so many.
  [[nodiscard]] ARMATURE_API ArrayAxis part(std::ptrdiff_t first, std::ptrdiff_t extent) const;

  friend bool operator==(const ArrayAxis&, const ArrayAxis&) = default;

 private:
  enum class Kind { bounds, cyclic, map };

  void take_lengths(const char* what, const Distribution& distribution);
  void take_map(const char* what, const Distribution& distribution);
  void append_cyclic_runs(int position, const Range& range, std::ptrdiff_t at,
                          std::vector<ArrayRun>& runs) const;
  void append_map_runs(int position, const Range& range, std::ptrdiff_t at,
                       std::vector<ArrayRun>& runs) const;

  Kind kind_ = Kind::bounds;
  std::ptrdiff_t extent_ = 0;
  int positions_ = 1;
  std::ptrdiff_t length_ = 0;                         // of a block that is dealt out
  std::vector<std::ptrdiff_t> bounds_;                // where blocks begin, and the extent
  std::vector<int> owners_;                           // a map: of each index
  std::vector<std::ptrdiff_t> places_;                // and its place there
  std::vector<std::vector<std::ptrdiff_t>> indices_;  // and what each position has
};

/// Appends what two runs of the same range have in common: `local` is the first's, in `runs`, and
/// the second's in `others`.
ARMATURE_API void append_common(const ArrayRun& one, const ArrayRun& other,
                                std::vector<ArrayRun>& runs, std::vector<ArrayRun>& others);

}  // namespace armature::detail
