// malloc for one rank at a time. What glibc's does better, it does for threads and for processes
// that live for weeks; what it cannot do is to keep all that it knows in a given place. Blocks have
// 16 bytes in front that say of what size they are. Sizes are multiples of 16 up to 1 KiB, then
// four to each power of two, so at most a fifth of a block is wasted. Blocks are not split or
// joined: the range is large and sparse, and large blocks give their pages back when freed.
#include "space/rank_heap.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <mutex>
#include <new>
#include <utility>

#include "space/pages.hpp"
#include "space/rank_block.hpp"

namespace armature::space {

namespace {

constexpr std::size_t head_bytes = RankBlock::head_bytes;
constexpr std::size_t fine_max = 1024, fine_step = 16;

std::size_t kind_of(std::size_t bytes) {
  if (bytes <= fine_max) return bytes <= fine_step ? 1 : (bytes + fine_step - 1) / fine_step;
  const std::size_t last = bytes - 1;
  const auto power = static_cast<std::size_t>(std::bit_width(last)) - 1;
  return fine_max / fine_step + (power - 10) * 4 + ((last >> (power - 2)) & 3) + 1;
}

constexpr std::size_t bytes_of(std::size_t kind) {
  if (kind <= fine_max / fine_step) return kind * fine_step;
  const std::size_t coarse = kind - fine_max / fine_step - 1;
  return (coarse % 4 + 5) << (coarse / 4 + 8);
}

/// The amount of unused memory that a thread's heap takes at a time. A request of more than a
/// quarter of it takes its own pages.
constexpr std::size_t refill_bytes = 64 * page_bytes;

/// Far more than a segment holds.
constexpr std::size_t bytes_max = std::size_t{1} << 49;

}  // namespace

RankHeap& RankHeap::create(Range near, Range far) {
  auto* heap = new (near.unused) RankHeap;
  near.unused += (sizeof(RankHeap) + head_bytes - 1) / head_bytes * head_bytes;
  heap->near_ = near;
  heap->far_ = far;
  heap->pages_end_ = far.end;
  return *heap;
}

RankHeap::Block* RankHeap::carve(Range& range, std::size_t kind, std::size_t bytes) {
  auto* block = reinterpret_cast<Block*>(range.unused);
  range.unused += bytes;
  block->kind = static_cast<std::uint32_t>(kind);
  return block;
}

RankHeap::Block* RankHeap::take(std::size_t kind) {
  Block* const first = free_[kind];
  if (first != nullptr) [[likely]] {
    free_[kind] = first->next;
    return first;
  }
  if (take_back() && free_[kind] != nullptr) return take(kind);
  const std::size_t bytes = bytes_of(kind) + head_bytes;
  if (bytes <= near_.bytes_left()) return carve(near_, kind, bytes);
  if (!is_shared_ && bytes <= far_.bytes_left()) return carve(far_, kind, bytes);
  return take_shared(kind, bytes);
}

/// Threads of the rank's own take from the other end.
RankHeap::Block* RankHeap::take_shared(std::size_t kind, std::size_t bytes) {
  if (const std::lock_guard lock(lock_); bytes <= far_.bytes_left())
    return carve(far_, kind, bytes);
  return refill(bytes) ? take(kind) : take_other(kind);
}

/// Takes unused memory from the rank's heap. False when there is none, or for a heap that is not a
/// thread's.
bool RankHeap::refill(std::size_t bytes) {
  if (source_ == nullptr) return false;
  const bool is_large = bytes > refill_bytes / 4;
  const std::size_t all = is_large ? page_above(bytes) : refill_bytes;
  const std::lock_guard lock(source_->lock_);
  std::byte* const begin = source_->cut(all, page_bytes);
  if (begin == nullptr) return false;
  (is_large ? far_ : near_) = {begin, begin + all};
  return true;
}

/// From the end of what has never been used. By whoever has the lock.
std::byte* RankHeap::cut(std::size_t bytes, std::size_t alignment) {
  const auto end = reinterpret_cast<std::uintptr_t>(far_.end);
  if (bytes > far_.bytes_left()) return nullptr;
  const std::uintptr_t begin = (end - bytes) / alignment * alignment;
  if (begin < reinterpret_cast<std::uintptr_t>(far_.unused)) return nullptr;
  std::byte* const rest = reinterpret_cast<std::byte*>(begin) + bytes;
  std::byte* const old_end = std::exchange(far_.end, reinterpret_cast<std::byte*>(begin));
  if (rest != old_end && pages_.has_room()) pages_.give(rest, old_end);
  return far_.end;
}

/// At the end of the range, larger ones do.
RankHeap::Block* RankHeap::take_other(std::size_t kind) {
  for (std::size_t larger = kind + 1; larger < kinds; ++larger)
    if (free_[larger] != nullptr) return take(larger);
  return nullptr;
}

void* RankHeap::allocate(std::size_t bytes) {
  static_assert(bytes_max <= bytes_of(kinds - 1));
  if (bytes > bytes_max) [[unlikely]]
    return nullptr;
  Block* const block = take(kind_of(bytes));
  if (block == nullptr) [[unlikely]]
    return nullptr;
  block->state = Block::used;
  return block->memory();
}

void* RankHeap::allocate_zeros(std::size_t bytes) {
  const Range near = near_;
  const std::byte* const far_unused = far_.unused;
  void* const memory = allocate(bytes);
  if (memory == nullptr) return nullptr;
  const auto* const begin = static_cast<std::byte*>(memory);
  const bool is_new = begin >= (begin < near.end ? near.unused : far_unused);
  if (is_new) return memory;  // zero pages of the file
  if (bytes < page_wise_min) return std::memset(memory, 0, bytes);
  RankBlock::clear_edges(static_cast<std::byte*>(memory), bytes);
  return memory;
}

void* RankHeap::allocate_aligned(std::size_t alignment, std::size_t bytes) {
  if (alignment <= head_bytes) return allocate(bytes);
  if (alignment > bytes_max || bytes > bytes_max) return nullptr;
  alignment = std::bit_ceil(alignment);  // as the C library does
  auto* const memory = static_cast<std::byte*>(allocate(bytes + alignment));
  if (memory == nullptr) return nullptr;
  const std::size_t over = reinterpret_cast<std::uintptr_t>(memory) % alignment;
  if (over == 0) return memory;
  std::byte* const aligned = memory + alignment - over;
  auto* const head = reinterpret_cast<Block*>(aligned - head_bytes);
  head->state = Block::moved;
  head->distance = alignment - over;
  return aligned;
}

void RankHeap::put(Block& block) {
  const std::size_t bytes = bytes_of(block.kind);
  block.state = Block::unused;
  if (bytes >= page_wise_min) [[unlikely]] {
    const auto begin = page_above(reinterpret_cast<std::uintptr_t>(block.memory()));
    const auto end = page_below(reinterpret_cast<std::uintptr_t>(block.memory()) + bytes);
    // Should the kernel refuse, the bytes must be zeros all the same.
    if (madvise(reinterpret_cast<void*>(begin), end - begin, MADV_REMOVE) != 0)
      std::memset(reinterpret_cast<void*>(begin), 0, end - begin);
  }
  block.next = free_[block.kind];
  free_[block.kind] = &block;
}

void RankHeap::free(void* memory) {
  Block& block = Block::of(memory);
  if (block.state != Block::used) [[unlikely]]
    return free_from_outside(memory);
  put(block);
}

void RankHeap::free_from_outside(void* memory) {
  Block& block = Block::of(memory);
  block.require_in_use();
  (block.state == Block::lent ? *block.owner : *this).put_from_outside(block);
}

void RankHeap::put_from_outside(Block& block) {
  block.next = from_outside_.load(std::memory_order_relaxed);
  // Release: our last look at the memory comes before the rank uses it again.
  while (!from_outside_.compare_exchange_weak(block.next, &block, std::memory_order_release,
                                              std::memory_order_relaxed)) {
  }
}

/// True when there was something.
bool RankHeap::take_back() {
  if (from_outside_.load(std::memory_order_relaxed) == nullptr) [[likely]]
    return false;
  Block* block = from_outside_.exchange(nullptr, std::memory_order_acquire);
  while (block != nullptr) {
    Block* const next = block->next;
    put(*block);
    block = next;
  }
  return true;
}

std::size_t RankHeap::usable_bytes(const void* memory) {
  auto* const bytes = static_cast<std::byte*>(const_cast<void*>(memory));
  Block& block = Block::of(bytes);
  block.require_in_use();
  return bytes_of(block.kind) - static_cast<std::size_t>(bytes - block.memory());
}

// -- whole pages ----------------------------------------------------------------------------------

std::byte* RankHeap::map(std::size_t bytes, std::size_t alignment) {
  const std::lock_guard lock(lock_);
  // For what unmap() and the rest of an aligned row will have to note.
  if (!pages_.has_room() && !make_room_for_pages()) return nullptr;
  std::byte* const again = pages_.take(bytes, alignment);
  return again != nullptr ? again : cut(bytes, alignment);
}

void RankHeap::unmap(std::byte* pages, std::size_t bytes) {
  const std::lock_guard lock(lock_);
  if (pages_.has_room() || make_room_for_pages()) return pages_.give(pages, pages + bytes);
  // The segment is full: they stay, but for their memory.
  (void)madvise(pages, bytes, MADV_REMOVE);
}

bool RankHeap::make_room_for_pages() {
  const std::size_t bytes = std::max(2 * pages_.room_bytes(), page_bytes);
  std::byte* const room = cut(bytes, page_bytes);
  if (room != nullptr) pages_.give_room(room, bytes);
  return room != nullptr;
}

bool RankHeap::has_mapped(const void* address) const {
  const std::lock_guard lock(lock_);
  return address >= far_.end && address < pages_end_;
}

}  // namespace armature::space
