#include "space/thread_heap.hpp"

#include <algorithm>
#include <cstring>
#include <mutex>
#include <new>

#include "space/pages.hpp"
#include "space/rank_block.hpp"

namespace armature::space {
namespace {

constexpr std::size_t first_bytes = 16 * page_bytes;

}  // namespace

ThreadHeap::ThreadHeap(RankHeap& rank, Range range) {
  near_ = range;
  source_ = &rank;
}

ThreadHeap* ThreadHeap::borrow(RankHeap& rank) {
  const std::lock_guard lock(rank.lock_);
  if (ThreadHeap* const idle = rank.idle_) {
    rank.idle_ = idle->next_idle_;
    return idle;
  }
  std::byte* const begin = rank.cut(first_bytes, page_bytes);
  if (begin == nullptr) return nullptr;
  constexpr std::size_t own_bytes = (sizeof(ThreadHeap) + 15) / 16 * 16;
  return new (begin) ThreadHeap(rank, {begin + own_bytes, begin + first_bytes});
}

void ThreadHeap::give_back() {
  RankHeap& to = rank();
  const std::lock_guard lock(to.lock_);
  next_idle_ = to.idle_;
  to.idle_ = this;
}

void* ThreadHeap::own(void* memory) {
  if (memory == nullptr) return nullptr;
  Block& block = Block::of(memory);
  block.state = Block::lent;
  block.owner = this;
  return memory;
}

void* ThreadHeap::allocate_zeros(std::size_t bytes) {
  void* const memory = allocate(bytes);
  if (memory == nullptr) return nullptr;
  if (bytes < page_wise_min) return std::memset(memory, 0, bytes);
  Block::clear_edges(static_cast<std::byte*>(memory), bytes);
  return memory;
}

void ThreadHeap::free(void* memory) {
  Block& block = Block::of(memory);
  if (block.state == Block::lent && block.owner == this) return put(block);
  rank().free_from_outside(memory);
}

}  // namespace armature::space
