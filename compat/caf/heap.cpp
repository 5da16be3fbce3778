#include "heap.hpp"

#include <algorithm>

#include <armature/layer/symmetric.hpp>

namespace caf {

void* Heap::allocate(const armature::Team& team, std::size_t bytes) {
  const std::size_t wanted = heap::rounded(std::max<std::size_t>(bytes, 1));
  const bool is_alone = wanted > block_bytes_ / 2;
  if (!is_alone)
    if (void* const memory = pieces_.take(wanted); memory != nullptr) return memory;
  const std::size_t block = is_alone ? wanted : block_bytes_;
  auto* const begin = static_cast<std::byte*>(armature::layer::allocate_symmetric(team, block));
  blocks_.push_back({begin, block});
  if (is_alone) return begin;
  pieces_.add(begin, block);
  return pieces_.take(wanted);
}

void Heap::release(const armature::Team& team, void* memory) {
  if (pieces_.release(memory)) return;
  std::erase_if(blocks_, [=](const Block& block) { return block.begin == memory; });
  armature::layer::free_symmetric(team, memory);
}

bool Heap::contains(const void* address) const {
  return std::any_of(blocks_.begin(), blocks_.end(), [=](const Block& block) {
    return address >= block.begin && address < block.begin + block.bytes;
  });
}

}  // namespace caf
