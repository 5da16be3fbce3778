#include "armature/array/rows.hpp"

#include <algorithm>
#include <numeric>

namespace armature::detail {

ArrayRows::ArrayRows(std::span<const ArrayBlock* const> blocks) {
  const ArrayBlock& leading = *blocks.front();
  std::vector<std::size_t> order(array_dimensions_max);
  std::iota(order.begin(), order.end(), std::size_t{0});
  // Dimensions that a block does not have have no strides.
  std::erase_if(order, [&](std::size_t d) { return leading.strides[d] == 0; });
  std::ranges::stable_sort(order, {}, [&](std::size_t d) { return leading.strides[d]; });
  for (const ArrayBlock* const block : blocks) first_.push_back(block->first);
  is_over_ = order.empty();
  for (const std::size_t d : order) {
    const std::ptrdiff_t count = leading.counts[d];
    if (count == 0) is_over_ = true;
    if (count == 1) continue;
    const bool is_next = levels_.empty() && std::ranges::all_of(blocks, [&](const ArrayBlock* b) {
                           return b->strides[d] == count_;
                         });
    if (is_next) {
      count_ *= count;
      continue;
    }
    Level level{.count = count, .at = 0, .strides = {}};
    for (const ArrayBlock* const block : blocks) level.strides.push_back(block->strides[d]);
    levels_.push_back(std::move(level));
  }
}

void ArrayRows::next() {
  for (Level& level : levels_) {
    for (std::size_t k = 0; k < first_.size(); ++k) first_[k] += level.strides[k];
    if (++level.at < level.count) return;
    for (std::size_t k = 0; k < first_.size(); ++k) first_[k] -= level.count * level.strides[k];
    level.at = 0;
  }
  is_over_ = true;
}

}  // namespace armature::detail
