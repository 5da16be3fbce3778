#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "armature/array/layout.hpp"

namespace armature::detail {

/// Goes through the caller's blocks of aligned arrays, row by row: elements that are neighbours in
/// all of them. Blocks without ghosts are one row.
///
///     for (ArrayRows rows(blocks); rows; rows.next())
///       ... rows.count() elements of block k from its element number rows.first(k) on
class ArrayRows {
 public:
  ARMATURE_API explicit ArrayRows(std::span<const ArrayBlock* const> blocks);

  explicit operator bool() const { return !is_over_; }
  ARMATURE_API void next();
  [[nodiscard]] std::ptrdiff_t count() const { return count_; }
  [[nodiscard]] std::ptrdiff_t first(std::size_t block) const { return first_[block]; }

 private:
  struct Level {
    std::ptrdiff_t count = 0;
    std::ptrdiff_t at = 0;
    std::vector<std::ptrdiff_t> strides;  // by block
  };

  std::ptrdiff_t count_ = 1;
  std::vector<std::ptrdiff_t> first_;
  std::vector<Level> levels_;
  bool is_over_ = false;
};

}  // namespace armature::detail
