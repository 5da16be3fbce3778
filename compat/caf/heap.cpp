#include "heap.hpp"

#include <algorithm>

#include <armature/layer/symmetric.hpp>

namespace caf {
namespace {

/// Coarrays begin at cache lines, so that what two images change does not share one by chance.
constexpr std::size_t line_bytes = 64;

std::size_t rounded(std::size_t bytes) {
  return (std::max<std::size_t>(bytes, 1) + line_bytes - 1) / line_bytes * line_bytes;
}

}  // namespace

void* Heap::take(std::size_t bytes) {
  for (const auto& [begin, length] : free_) {
    if (length < bytes) continue;
    std::byte* const memory = begin;
    const std::size_t behind = length - bytes;
    free_.erase(memory);
    if (behind > 0) free_[memory + bytes] = behind;
    used_[memory] = bytes;
    return memory;
  }
  return nullptr;
}

void* Heap::allocate(const armature::Team& team, std::size_t bytes) {
  const std::size_t wanted = bytes > SIZE_MAX / 2 ? SIZE_MAX / 2 : rounded(bytes);
  const bool is_alone = wanted > block_bytes_ / 2;
  if (!is_alone)
    if (void* const memory = take(wanted); memory != nullptr) return memory;
  const std::size_t block = is_alone ? wanted : block_bytes_;
  auto* const begin = static_cast<std::byte*>(armature::layer::allocate_symmetric(team, block));
  blocks_.push_back({begin, block});
  if (is_alone) return begin;
  free_[begin] = block;
  return take(wanted);
}

void Heap::release(const armature::Team& team, void* memory) {
  auto* const begin = static_cast<std::byte*>(memory);
  const auto found = used_.find(begin);
  if (found == used_.end()) {
    std::erase_if(blocks_, [=](const Block& block) { return block.begin == begin; });
    armature::layer::free_symmetric(team, memory);
    return;
  }
  std::size_t bytes = found->second;
  used_.erase(found);
  auto next = free_.lower_bound(begin);
  if (next != free_.end() && begin + bytes == next->first) {
    bytes += next->second;
    next = free_.erase(next);
  }
  if (next != free_.begin())
    if (const auto before = std::prev(next); before->first + before->second == begin) {
      before->second += bytes;
      return;
    }
  free_[begin] = bytes;
}

bool Heap::contains(const void* address) const {
  return std::any_of(blocks_.begin(), blocks_.end(), [=](const Block& block) {
    return address >= block.begin && address < block.begin + block.bytes;
  });
}

}  // namespace caf
