// Local memory is asked for as often as malloc's: programs take room for a matrix product and give
// it back after it. To make pages takes a second for every few GB, and to look at what the machine
// has takes as long as a thousand small allocations. So what is freed is kept, and its next user
// needs neither; new pages of a large block come when they are touched, which they were promised.
//
// Rejected: to hand out zeros without doing anything. Who has written to a page only the kernel
// knows, and to ask it takes longer than malloc. So there are two kinds: zeros, and memory to
// overwrite.
#include "space/local_memory.hpp"

#include <algorithm>
#include <cstring>
#include <optional>

#include "base/clock.hpp"
#include "space/address_space.hpp"
#include "topology/memory.hpp"

namespace armature::space {
namespace {

constexpr std::uint64_t kept_bytes_max = std::uint64_t{256} << 20;
// All ranks of a node keep at most one part of so many of its memory.
constexpr std::uint64_t parts_of_memory = 8;
// What was not used for so long is not kept.
constexpr std::uint64_t kept_ns = 1'000'000'000;

}  // namespace

std::uint64_t AddressSpace::kept_max() const {
  const std::uint64_t ranks = std::max<std::uint64_t>(header().ranks_here, 1);
  return std::min(kept_bytes_max, topology::memory_room().total / parts_of_memory / ranks);
}

void* AddressSpace::allocate_local(std::size_t bytes, std::size_t alignment, Contents contents,
                                   Failure& failure) {
  bytes = std::max<std::size_t>(bytes, 1);
  alignment = std::max<std::size_t>(alignment, 64);
  return bytes < page_wise_min ? allocate_small(bytes, alignment, contents, failure)
                               : allocate_large(bytes, alignment, contents, failure);
}

void* AddressSpace::allocate_small(std::size_t bytes, std::size_t alignment, Contents contents,
                                   Failure& failure) {
  const std::size_t kind = SmallBlocks::kind_of(bytes), all = SmallBlocks::bytes_of(kind);
  bool is_new = false;
  void* address = take_small(kind, alignment);
  if (address == nullptr) {
    address = make(all, alignment, /*lazily=*/false, failure, By::rank);
    is_new = true;
  }
  if (address == nullptr) return nullptr;
  if (record(address, bytes, Allocation::Kind::local, failure, By::rank) == nullptr) {
    give_back(address, all, By::rank);
    return nullptr;
  }
  return contents == Contents::zeros && !is_new ? std::memset(address, 0, bytes) : address;
}

void* AddressSpace::take_small(std::size_t kind, std::size_t alignment) {
  const HeapLock one_at_a_time = lock_heap(By::rank);
  return one_at_a_time.holds() ? small_.take(kind, alignment) : nullptr;
}

void* AddressSpace::allocate_large(std::size_t bytes, std::size_t alignment, Contents contents,
                                   Failure& failure) {
  void* address = contents == Contents::any ? reuse(bytes, alignment) : nullptr;
  if (address != nullptr) return address;
  if (contents == Contents::zeros) address = take_zeros(bytes, alignment);
  if (address == nullptr)
    address = make(bytes, alignment, is_lazily_made(bytes), failure, By::rank);
  if (address == nullptr) return nullptr;
  if (record(address, bytes, Allocation::Kind::local, failure, By::rank) != nullptr) return address;
  std::optional<Block> block;
  if (const HeapLock one_at_a_time = lock_heap(By::rank); one_at_a_time.holds())
    block = {static_cast<std::byte*>(address), heap_.block_bytes(address)};
  if (block) let_go(*block);
  return nullptr;
}

/// Under the lock: if there is room for it.
inline bool AddressSpace::keep(const Block& block) {
  if (kept_bytes_ + block.bytes > kept_max_ || !kept_blocks_.put(block)) return false;
  kept_bytes_ += block.bytes;
  ++uses_;
  return true;
}

inline void AddressSpace::note_taken(const Block& block) {
  kept_bytes_ -= block.bytes;
  ++uses_;
}

/// Under the lock: of what was freed, if there is one that fits.
std::optional<AddressSpace::Block> AddressSpace::take_kept(std::size_t bytes,
                                                           std::size_t alignment) {
  const std::optional<Block> block = kept_blocks_.take(bytes, alignment);
  if (block) note_taken(*block);
  return block;
}

/// Under the lock.
void* AddressSpace::reuse_large(std::size_t bytes, std::size_t alignment) noexcept {
  if (kept_bytes_ == 0) return nullptr;
  Block block = kept_blocks_.take_last(bytes, alignment);
  if (block.address == nullptr) [[unlikely]] {
    const std::optional<Block> other = kept_blocks_.take(bytes, alignment);
    if (!other) return nullptr;
    block = *other;
  }
  note_taken(block);
  constexpr auto local = Allocation::Kind::local;
  if (!list_.add_again(reinterpret_cast<std::uint64_t>(block.address), bytes, local)) [[unlikely]]
    ARMATURE_ASSERT(list_.add(Allocation::of(block.address, bytes, local)));
  extend_to(block.address, bytes);
  return block.address;
}

/// Under the lock. Off the list first, as from then on others may give the pages back.
bool AddressSpace::keep_large(void* address, const Allocations::Found& found) noexcept {
  const Block block{static_cast<std::byte*>(address), heap_.block_bytes(address)};
  if (kept_bytes_ + block.bytes > kept_max_ || !kept_blocks_.has_room()) return false;
  list_.remove(found);
  return keep(block);
}

/// Of what was freed, and cleared; nullptr: there is none that fits. Pages are given back before
/// the allocation is listed: who counts them counts those of the list.
void* AddressSpace::take_zeros(std::size_t bytes, std::size_t alignment) {
  std::optional<Block> block;
  if (const HeapLock one_at_a_time = lock_heap(By::rank); one_at_a_time.holds())
    block = take_kept(bytes, alignment);
  if (!block) return nullptr;
  if (!is_lazily_made(bytes)) return std::memset(block->address, 0, bytes);
  reservations().renew_lazy(Heap::own_bytes(block->address, block->bytes), me_);
  heap_.clear(block->address, block->bytes);
  return block->address;
}

bool AddressSpace::free_local(void* address) {
  Block block{static_cast<std::byte*>(address), 0};
  {
    const HeapLock one_at_a_time = lock_heap(By::rank);
    if (!one_at_a_time.holds()) return true;
    const auto removed =
        list_.remove(reinterpret_cast<std::uint64_t>(address), Allocation::Kind::local);
    if (!removed) return false;
    if (removed->bytes < page_wise_min) {
      const std::size_t kind = SmallBlocks::kind_of(removed->bytes);
      if (small_.put(kind, address)) return true;
      Heap::let_pages_go(address, SmallBlocks::bytes_of(kind));
      heap_.free(address);
      return true;
    }
    block.bytes = heap_.block_bytes(address);
    if (keep(block)) return true;
  }
  if (!keep_instead_of_others(block)) let_go(block);
  return true;
}

/// The older ones go.
bool AddressSpace::keep_instead_of_others(const Block& block) {
  for (;;) {
    std::optional<Block> oldest;
    {
      const HeapLock one_at_a_time = lock_heap(By::rank);
      if (!one_at_a_time.holds()) return false;
      if (kept_max_ == 0) kept_max_ = kept_max();  // once, as to look takes long
      if (block.bytes > kept_max_) return false;
      collect_emptied();
      if (keep(block)) return true;
      oldest = kept_blocks_.take_oldest();
      if (!oldest) return false;
      kept_bytes_ -= oldest->bytes;
    }
    let_go(*oldest);
  }
}

/// Its pages and what was promised for it, then its addresses.
void AddressSpace::let_go(const Block& block) {
  empty(block, me_);
  if (const HeapLock one_at_a_time = lock_heap(By::rank); one_at_a_time.holds())
    heap_.free(block.address);
}

/// Under the lock: what others have given the pages back of has addresses only.
void AddressSpace::collect_emptied() {
  while (const std::optional<Block> block = kept_blocks_.take_emptied()) {
    kept_bytes_ -= block->bytes;
    heap_.free(block->address);
  }
}

/// Under the lock: what is kept goes before there are no addresses left.
void* AddressSpace::take_from_heap(std::size_t bytes, std::size_t alignment) {
  if (void* const address = heap_.take(bytes, alignment)) return address;
  while (void* const small = small_.take_any()) heap_.free(small);
  if (kept_bytes_ > 0) {
    empty_kept(me_);
    collect_emptied();
  }
  return heap_.take(bytes, alignment);
}

void AddressSpace::rest() {
  {
    const HeapLock one_at_a_time = lock_heap(By::door);
    if (!one_at_a_time.holds() || kept_bytes_ == 0) return;
    const std::uint64_t now_ns = base::now_ns();
    if (uses_ != uses_seen_) quiet_since_ns_ = now_ns;
    uses_seen_ = uses_;
    if (now_ns - quiet_since_ns_ < kept_ns) return;
  }
  empty_kept(me_);
  if (const HeapLock one_at_a_time = lock_heap(By::door); one_at_a_time.holds()) collect_emptied();
}

void AddressSpace::end_promises() {
  empty_kept(me_);
  reservations().give_up_lazy(me_);
}

}  // namespace armature::space
