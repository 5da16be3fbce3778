// Local memory is asked for as often as malloc's: programs take room for a matrix product and give
// it back after it. To make pages takes a second for every few GB, and to look at what the machine
// has takes as long as a thousand small allocations. So what is freed is kept, and its next user
// needs neither; new pages of a large block come when they are touched, which they were promised.
//
// Rejected: to hand out zeros without doing anything. Who has written to a page only the kernel
// knows, and to ask it takes longer than malloc. So there are two kinds: zeros, and memory to
// overwrite.
#include <algorithm>
#include <cstring>
#include <optional>

#include "base/clock.hpp"
#include "space/address_space.hpp"
#include "space/heap_lock.hpp"
#include "topology/memory.hpp"

namespace armature::space {
namespace {

constexpr std::uint64_t kept_bytes_max = std::uint64_t{256} << 20;
// All ranks of a node keep at most one part of so many of its memory.
constexpr std::uint64_t parts_of_memory = 8;
// What was not used for so long is not kept.
constexpr std::uint64_t kept_ns = 1'000'000'000;

}  // namespace

/// Under the lock, as it is looked up once.
std::uint64_t AddressSpace::kept_max() {
  if (kept_max_ == 0) {
    const std::uint64_t ranks = std::max<std::uint64_t>(header().ranks_here, 1);
    kept_max_ =
        std::min(kept_bytes_max, topology::memory_room().total / parts_of_memory / ranks) + 1;
  }
  return kept_max_ - 1;
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
  const std::size_t kind = SmallBlocks::kind_of(bytes);
  void* address = nullptr;
  {
    const HeapLock one_at_a_time(*this, By::rank);
    if (!one_at_a_time.holds()) return nullptr;
    address = small_.take(kind, alignment);
    if (address != nullptr && !add(address, bytes, Allocation::Kind::local, failure, By::rank)) {
      heap_.free(address);
      return nullptr;
    }
  }
  if (address != nullptr) {
    if (contents == Contents::zeros) std::memset(address, 0, bytes);
    return address;
  }
  const std::size_t all = SmallBlocks::bytes_of(kind);
  address = make(all, alignment, /*lazily=*/false, failure, By::rank);
  if (address == nullptr) return nullptr;
  if (record(address, bytes, Allocation::Kind::local, failure, By::rank) != nullptr) return address;
  give_back(address, all, By::rank);
  return nullptr;
}

void* AddressSpace::allocate_large(std::size_t bytes, std::size_t alignment, Contents contents,
                                   Failure& failure) {
  void* address = take_kept(bytes, alignment, contents);
  if (address == nullptr)
    address = make(bytes, alignment, is_lazily_made(bytes), failure, By::rank);
  if (address == nullptr) return nullptr;
  if (record(address, bytes, Allocation::Kind::local, failure, By::rank) != nullptr) return address;
  std::optional<Block> block;
  if (const HeapLock one_at_a_time(*this, By::rank); one_at_a_time.holds())
    block = {static_cast<std::byte*>(address), heap_.block_bytes(address)};
  if (block) let_go(*block);
  return nullptr;
}

/// Of what was freed; nullptr: there is none that fits. Pages are given back before the allocation
/// is listed: who counts them counts those of the list.
void* AddressSpace::take_kept(std::size_t bytes, std::size_t alignment, Contents contents) {
  std::optional<Block> block;
  {
    const HeapLock one_at_a_time(*this, By::rank);
    if (!one_at_a_time.holds() || kept_bytes_ == 0) return nullptr;
    block = kept_blocks(me_).take(bytes, alignment);
    if (!block) return nullptr;
    kept_bytes_ -= block->bytes;
    ++uses_;
  }
  if (contents == Contents::any) return block->address;
  if (!is_lazily_made(bytes)) return std::memset(block->address, 0, bytes);
  reservations().renew_lazy(Heap::own_bytes(block->address, block->bytes), me_);
  heap_.clear(block->address, block->bytes);
  return block->address;
}

bool AddressSpace::free_local(void* address) {
  Block block{static_cast<std::byte*>(address), 0};
  {
    const HeapLock one_at_a_time(*this, By::rank);
    if (!one_at_a_time.holds()) return true;
    const auto removed =
        allocations(me_).remove(reinterpret_cast<std::uint64_t>(address), Allocation::Kind::local);
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

/// Under the lock: if there is room for it.
bool AddressSpace::keep(const Block& block) {
  if (block.bytes > kept_max() - std::min(kept_max(), kept_bytes_)) return false;
  if (!kept_blocks(me_).put(block)) return false;
  kept_bytes_ += block.bytes;
  ++uses_;
  return true;
}

/// The older ones go.
bool AddressSpace::keep_instead_of_others(const Block& block) {
  for (;;) {
    std::optional<Block> oldest;
    {
      const HeapLock one_at_a_time(*this, By::rank);
      if (!one_at_a_time.holds() || block.bytes > kept_max()) return false;
      collect_emptied();
      if (keep(block)) return true;
      oldest = kept_blocks(me_).take_oldest();
      if (!oldest) return false;
      kept_bytes_ -= oldest->bytes;
    }
    let_go(*oldest);
  }
}

/// Its pages and what was promised for it, then its addresses.
void AddressSpace::let_go(const Block& block) {
  empty(block, me_);
  if (const HeapLock one_at_a_time(*this, By::rank); one_at_a_time.holds())
    heap_.free(block.address);
}

/// Under the lock: what others have given the pages back of has addresses only.
void AddressSpace::collect_emptied() {
  while (const std::optional<Block> block = kept_blocks(me_).take_emptied()) {
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
    const HeapLock one_at_a_time(*this, By::door);
    if (!one_at_a_time.holds() || kept_bytes_ == 0) return;
    const std::uint64_t now_ns = base::now_ns();
    if (uses_ != uses_seen_) quiet_since_ns_ = now_ns;
    uses_seen_ = uses_;
    if (now_ns - quiet_since_ns_ < kept_ns) return;
  }
  empty_kept(me_);
  if (const HeapLock one_at_a_time(*this, By::door); one_at_a_time.holds()) collect_emptied();
}

void AddressSpace::end_promises() {
  empty_kept(me_);
  reservations().give_up_lazy(me_);
}

}  // namespace armature::space
