// malloc for one rank at a time. What glibc's does better, it does for threads and for processes
// that live for weeks; what it cannot do is to keep all that it knows in a given place. Blocks have
// 16 bytes in front that say of what size they are. Sizes are multiples of 16 up to 1 KiB, then
// four to each power of two, so at most a fifth of a block is wasted. Blocks are not split or
// joined: the range is large and sparse, and large blocks give their pages back when freed.
#include "space/rank_heap.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <cstring>
#include <new>

#include "space/pages.hpp"

namespace armature::space {

struct RankHeap::Block {
  static constexpr std::uint32_t used = 0x6b6f'6c42, unused = 0x6565'7246, moved = 0x6465'766d;

  std::uint32_t kind;
  std::uint32_t state;
  std::uint64_t distance;  // of an aligned one: from the memory that was taken
  Block* next;             // while it is free: in the user's bytes

  [[nodiscard]] std::byte* memory() { return reinterpret_cast<std::byte*>(&next); }
};

namespace {

constexpr std::size_t head_bytes = 16;
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

/// Far more than a band holds.
constexpr std::size_t bytes_max = std::size_t{1} << 49;

[[noreturn]] void fail(const char* text) {
  (void)!write(STDERR_FILENO, text, std::strlen(text));
  std::abort();
}

}  // namespace

RankHeap& RankHeap::create(Range near, Range far) {
  auto* heap = new (near.unused) RankHeap;
  near.unused += (sizeof(RankHeap) + head_bytes - 1) / head_bytes * head_bytes;
  heap->near_ = near;
  heap->far_ = far;
  return *heap;
}

RankHeap::Block& RankHeap::block_of(void* memory) {
  auto* block = reinterpret_cast<Block*>(static_cast<std::byte*>(memory) - head_bytes);
  if (block->state == Block::moved)
    block = reinterpret_cast<Block*>(reinterpret_cast<std::byte*>(block) - block->distance);
  if (block->state != Block::used) [[unlikely]]
    fail(block->state == Block::unused
             ? "armature: free: this memory of a rank is freed already\n"
             : "armature: free: this memory of a rank does not come from malloc\n");
  return *block;
}

RankHeap::Block* RankHeap::take(std::size_t kind) {
  Block* const first = free_[kind];
  if (first != nullptr) [[likely]] {
    free_[kind] = first->next;
    return first;
  }
  if (take_back() && free_[kind] != nullptr) return take(kind);
  const std::size_t bytes = bytes_of(kind) + head_bytes;
  Range* range = &near_;
  if (bytes > static_cast<std::size_t>(near_.end - near_.unused)) range = &far_;
  if (bytes > static_cast<std::size_t>(range->end - range->unused)) return take_other(kind);
  auto* block = reinterpret_cast<Block*>(range->unused);
  range->unused += bytes;
  block->kind = static_cast<std::uint32_t>(kind);
  return block;
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
  const Range near = near_, far = far_;
  void* const memory = allocate(bytes);
  if (memory == nullptr) return nullptr;
  const auto* const begin = static_cast<std::byte*>(memory);
  const bool is_new = begin >= (begin < near.end ? near.unused : far.unused);
  if (is_new) return memory;  // zero pages of the file
  if (bytes < page_wise_min) return std::memset(memory, 0, bytes);
  // Its whole pages were given back: what is there now are zeros, but for what stood in the free
  // block.
  auto* const start = static_cast<std::byte*>(memory);
  const auto at = reinterpret_cast<std::uintptr_t>(start);
  const std::size_t tail = (at + bytes) % page_bytes;
  std::memset(start, 0, std::max(page_above(at) - at, sizeof(Block::next)));
  std::memset(start + bytes - tail, 0, tail);
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

void RankHeap::free(void* memory) { put(block_of(memory)); }

void RankHeap::free_from_outside(void* memory) {
  Block& block = block_of(memory);
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
  Block& block = block_of(bytes);
  return bytes_of(block.kind) - static_cast<std::size_t>(bytes - block.memory());
}

}  // namespace armature::space
