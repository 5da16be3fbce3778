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

#include "base/clock.hpp"
#include "space/pages.hpp"

namespace armature::space {
namespace {

using By = SegmentHeap::By;
using Failure = SegmentHeap::Failure;
constexpr auto local = Allocation::Kind::local;

// The time without use after which a block is no longer kept.
constexpr std::uint64_t kept_ns = 1'000'000'000;

}  // namespace

NewMemory::Pages LocalMemory::pages_of(std::size_t bytes) const {
  return bytes >= page_wise_min && new_.node().is_lazy() && !keeps_pages()
             ? NewMemory::Pages::when_touched
             : NewMemory::Pages::now;
}

void* LocalMemory::allocate(std::size_t bytes, std::size_t alignment, Contents contents,
                            Failure& failure) {
  bytes = std::max<std::size_t>(bytes, 1);
  alignment = std::max<std::size_t>(alignment, 64);
  return bytes < page_wise_min ? allocate_small(bytes, alignment, contents, failure)
                               : allocate_large(bytes, alignment, contents, failure);
}

void* LocalMemory::allocate_small(std::size_t bytes, std::size_t alignment, Contents contents,
                                  Failure& failure) {
  const std::size_t kind = SmallBlocks::kind_of(bytes), all = SmallBlocks::bytes_of(kind);
  bool is_new = false;
  void* address = take_small(kind, alignment);
  if (address == nullptr) {
    address = new_.make(all, alignment, NewMemory::Pages::now, failure, By::rank);
    is_new = true;
  }
  if (address == nullptr) return nullptr;
  if (heap_.record(address, bytes, local, failure, By::rank) == nullptr) {
    heap_.give_back(address, all, By::rank);
    return nullptr;
  }
  return contents == Contents::zeros && !is_new ? std::memset(address, 0, bytes) : address;
}

void* LocalMemory::take_small(std::size_t kind, std::size_t alignment) {
  const HeapLock one_at_a_time = heap_.lock();
  return one_at_a_time.holds() ? heap_.kept().small().take(kind, alignment) : nullptr;
}

void* LocalMemory::allocate_large(std::size_t bytes, std::size_t alignment, Contents contents,
                                  Failure& failure) {
  void* address = contents == Contents::any ? heap_.reuse(bytes, alignment) : nullptr;
  if (address != nullptr) return address;
  if (contents == Contents::zeros) address = take_zeros(bytes, alignment);
  if (address == nullptr) address = new_.make(bytes, alignment, pages_of(bytes), failure, By::rank);
  if (address == nullptr) return nullptr;
  if (heap_.record(address, bytes, local, failure, By::rank) != nullptr) return address;
  Block block;
  if (const HeapLock one_at_a_time = heap_.lock(); one_at_a_time.holds())
    block = {static_cast<std::byte*>(address), heap_.main().block_bytes(address)};
  if (block.address != nullptr) let_go(block);
  return nullptr;
}

/// Takes a block that was freed, and clears it; nullptr when none fits. Its pages are given back
/// before the allocation is listed: a thread that counts pages counts those of listed allocations.
void* LocalMemory::take_zeros(std::size_t bytes, std::size_t alignment) {
  Block block;
  if (const HeapLock one_at_a_time = heap_.lock(); one_at_a_time.holds())
    block = heap_.kept().take(bytes, alignment);
  if (block.address == nullptr) return nullptr;
  if (pages_of(bytes) == NewMemory::Pages::now) return std::memset(block.address, 0, bytes);
  new_.node().reservations().renew_lazy(own_page_bytes(block.address, block.bytes), heap_.me());
  clear_pages(block.address, block.bytes);
  return block.address;
}

bool LocalMemory::free(void* address) {
  const std::optional<std::size_t> bytes = heap_.forget(address, local, By::rank);
  if (!bytes) return false;
  if (*bytes == 0) return true;  // its process rolls back
  Block block{static_cast<std::byte*>(address), 0};
  {
    const HeapLock one_at_a_time = heap_.lock();
    if (!one_at_a_time.holds()) return true;
    if (*bytes < page_wise_min) {
      const std::size_t kind = SmallBlocks::kind_of(*bytes);
      if (heap_.kept().small().put(kind, address)) return true;
      let_pages_go(address, SmallBlocks::bytes_of(kind));
      heap_.main().free(address);
      return true;
    }
    block.bytes = heap_.main().block_bytes(address);
    if (heap_.kept().put(block)) return true;
  }
  if (!keep_instead_of_others(block)) let_go(block);
  return true;
}

/// The older ones go.
bool LocalMemory::keep_instead_of_others(const Block& block) {
  for (;;) {
    std::optional<Block> oldest;
    {
      const HeapLock one_at_a_time = heap_.lock();
      if (!one_at_a_time.holds()) return false;
      KeptMemory& kept = heap_.kept();
      if (kept.bytes_max() == 0)
        kept.limit(new_.node().kept_bytes_max());  // once: to look takes long
      if (block.bytes > kept.bytes_max()) return false;
      heap_.collect_emptied();
      if (kept.put(block)) return true;
      oldest = kept.take_oldest();
      if (!oldest) return false;
    }
    let_go(*oldest);
  }
}

/// Its pages and what was promised for it, then its addresses.
void LocalMemory::let_go(const Block& block) {
  new_.node().empty(block, heap_.me());
  if (const HeapLock one_at_a_time = heap_.lock(); one_at_a_time.holds())
    heap_.main().free(block.address);
}

void LocalMemory::rest() {
  {
    const HeapLock one_at_a_time = heap_.lock(By::door);
    if (!one_at_a_time.holds() || !heap_.kept().has_large()) return;
    if (!heap_.kept().is_unused_for(kept_ns, base::now_ns())) return;
  }
  new_.node().empty_kept(heap_.me());
  if (const HeapLock one_at_a_time = heap_.lock(By::door); one_at_a_time.holds())
    heap_.collect_emptied();
}

void LocalMemory::end_promises() {
  new_.node().empty_kept(heap_.me());
  new_.node().reservations().give_up_lazy(heap_.me());
}

}  // namespace armature::space
