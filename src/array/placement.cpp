#include "armature/array/placement.hpp"

#include <algorithm>

namespace armature::detail {
namespace {

/// Returns all sums of one multiple of each stride, in the order of a C array.
std::vector<int> offsets(std::span<const int> counts, std::span<const int> strides) {
  std::vector<int> sums{0};
  for (std::size_t d = 0; d < counts.size(); ++d) {
    std::vector<int> next;
    for (const int sum : sums)
      for (int i = 0; i < counts[d]; ++i) next.push_back(sum + i * strides[d]);
    sums = std::move(next);
  }
  return sums;
}

}  // namespace

ArrayPlacement::ArrayPlacement(std::span<const int> positions, std::span<const int> copies)
    : positions_(positions.begin(), positions.end()), strides_(positions.size()) {
  int stride = 1;
  for (std::size_t d = positions.size(); d-- > 0;) {
    strides_[d] = stride;
    stride *= positions[d] * copies[d];
  }
  copies_ = offsets(copies, strides_);
}

ArrayPlacement ArrayPlacement::selected(std::span<const int> dimensions, bool is_replicated) const {
  ArrayPlacement placement;
  std::vector<int> counts = positions_;
  for (const int d : dimensions) {
    const auto at = static_cast<std::size_t>(d);
    placement.positions_.push_back(positions_[at]);
    placement.strides_.push_back(strides_[at]);
    counts[at] = 1;
  }
  placement.copies_ = copies_;
  if (!is_replicated) return placement;
  placement.copies_.clear();
  for (const int before : copies_)
    for (const int more : offsets(counts, strides_)) placement.copies_.push_back(before + more);
  std::ranges::sort(placement.copies_);
  return placement;
}

ArrayPlacement ArrayPlacement::inserted(int d) const {
  ArrayPlacement placement = *this;
  const auto at = static_cast<std::size_t>(d);
  const int stride = at < strides_.size() ? strides_[at] * positions_[at] : 1;
  placement.positions_.insert(placement.positions_.begin() + d, 1);
  placement.strides_.insert(placement.strides_.begin() + d, stride);
  return placement;
}

ArrayPlacement::Place ArrayPlacement::place_of_original(int original) const {
  Place at{};
  if (original >= 0)
    for (std::size_t d = 0; d < strides_.size(); ++d)
      at[d] = original / strides_[d] % positions_[d];
  if (original < 0 || member(at) != original) at[0] = -1;
  return at;
}

int ArrayPlacement::copy_of(int member) const {
  for (std::size_t c = 0; c < copies_.size(); ++c)
    if (place_of_original(member - copies_[c])[0] >= 0) return static_cast<int>(c);
  return -1;
}

ArrayPlacement::Place ArrayPlacement::place(int member) const {
  Place at{};
  for (const int copy : copies_) {
    at = place_of_original(member - copy);
    if (at[0] >= 0) return at;
  }
  return at;
}

}  // namespace armature::detail
