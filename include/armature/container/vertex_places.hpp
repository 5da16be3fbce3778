#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "armature/container/blocks.hpp"

namespace armature {

/// The distribution of vertices over members: neighbours in number together (block), or dealt out
/// one by one (cyclic). Cyclic divides the work more evenly when numbers have a meaning.
enum class Placement { block, cyclic };

namespace detail {

/// The places of a graph's vertices: the member that owns one, and where it lies there. Vertices
/// that are added together are divided together, so those before stay where they are.
class VertexPlaces {
 public:
  VertexPlaces(int me, int members, Placement placement)
      : me_(me), members_(members), placement_(placement) {}

  /// Adds so many vertices, numbered on.
  void add(std::size_t count) {
    counts_.push_back(count);
    extents_.push_back({size_, mine(), Blocks::even(count, members_)});
    size_ += count;
  }
  /// How many were added each time.
  [[nodiscard]] const std::vector<std::size_t>& counts() const { return counts_; }
  [[nodiscard]] Placement placement() const { return placement_; }
  [[nodiscard]] std::size_t size() const { return size_; }
  /// How many are mine.
  [[nodiscard]] std::size_t mine() const {
    if (is_cyclic()) return (size_ + n() - 1 - static_cast<std::size_t>(me_)) / n();
    return extents_.empty() ? 0 : extents_.back().index + extents_.back().blocks.count(me_);
  }
  /// id < size().
  [[nodiscard]] int owner(std::size_t id) const {
    if (is_cyclic()) return static_cast<int>(id % n());
    const Extent& extent = extent_of(id);
    return extent.blocks.owner(id - extent.first);
  }
  /// The place of a vertex of mine among mine.
  [[nodiscard]] std::size_t index(std::size_t id) const {
    if (is_cyclic()) return id / n();
    const Extent& extent = extent_of(id);
    return extent.index + (id - extent.first - extent.blocks.first(me_));
  }
  [[nodiscard]] std::size_t id(std::size_t index) const {
    if (is_cyclic()) return static_cast<std::size_t>(me_) + index * n();
    const auto behind =
        std::upper_bound(extents_.begin() + 1, extents_.end(), index,
                         [](std::size_t i, const Extent& e) { return i < e.index; });
    const Extent& extent = *(behind - 1);
    return extent.first + extent.blocks.first(me_) + (index - extent.index);
  }

 private:
  /// Vertices that were added together.
  struct Extent {
    std::size_t first = 0;  // the number of the first
    std::size_t index = 0;  // where mine begin among mine
    Blocks blocks;
  };

  [[nodiscard]] bool is_cyclic() const { return placement_ == Placement::cyclic; }
  [[nodiscard]] std::size_t n() const { return static_cast<std::size_t>(members_); }
  [[nodiscard]] const Extent& extent_of(std::size_t id) const {
    if (extents_.size() == 1) [[likely]]
      return extents_.front();
    const auto behind =
        std::upper_bound(extents_.begin() + 1, extents_.end(), id,
                         [](std::size_t i, const Extent& e) { return i < e.first; });
    return *(behind - 1);
  }

  int me_;
  int members_;
  Placement placement_;
  std::size_t size_ = 0;
  std::vector<std::size_t> counts_;
  std::vector<Extent> extents_;
};

}  // namespace detail

}  // namespace armature
