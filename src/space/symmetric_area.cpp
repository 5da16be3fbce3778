#include "space/symmetric_area.hpp"

#include <algorithm>

namespace armature::space {

std::optional<std::uint64_t> SymmetricArea::highest(std::uint64_t bytes, std::uint64_t end_max,
                                                    std::uint64_t begin_min) const {
  std::uint64_t end = std::min(end_max, end_);
  for (auto part = taken_.rbegin(); part != taken_.rend(); ++part) {
    if (part->end <= end && end - part->end >= bytes) break;
    end = std::min(end, part->begin);
  }
  if (end < bytes || end - bytes < begin_min) return std::nullopt;
  return end - bytes;
}

bool SymmetricArea::take(Part part) {
  if (part.begin >= part.end || part.end > end_) return false;
  const auto next = std::ranges::lower_bound(taken_, part.begin, {}, &Part::begin);
  if (next != taken_.end() && next->begin < part.end) return false;
  if (next != taken_.begin() && std::prev(next)->end > part.begin) return false;
  taken_.insert(next, part);
  return true;
}

std::optional<SymmetricArea::Part> SymmetricArea::release(std::uint64_t begin) {
  const auto found = std::ranges::lower_bound(taken_, begin, {}, &Part::begin);
  if (found == taken_.end() || found->begin != begin) return std::nullopt;
  const Part part = *found;
  taken_.erase(found);
  return part;
}

bool SymmetricArea::begins(std::uint64_t at) const {
  return std::ranges::binary_search(taken_, at, {}, &Part::begin);
}

}  // namespace armature::space
