#include "space/new_memory.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>

#include <fmt/format.h>

#include "base/bytes.hpp"
#include "base/fail.hpp"
#include "base/valgrind.hpp"
#include "space/pages.hpp"

namespace armature::space {

namespace {

/// Pages of a segment are made through its file.
SegmentHeap::Failure why_not_filled(int error, std::uint64_t free) {
  if (error == EBADF)
    return {
        "the program has closed the job's memory files (as closing all descriptors does), which",
        0};
  return {fmt::format("the kernel ({})", base::system_text(error)), free};
}

}  // namespace

int NewMemory::process() const {
  return mapping_.slot(heap_.me()).process.load(std::memory_order_relaxed);
}

bool NewMemory::reserve(std::size_t bytes, Failure& failure) const {
  topology::MemoryRoom room;
  if (node_.reservations().take(bytes, process(), room)) return true;
  node_.relieve();
  if (node_.reservations().take(bytes, process(), room)) return true;
  failure = {room.limit, room.bytes};
  return false;
}

void NewMemory::settle(std::size_t bytes) const { node_.reservations().settle(bytes, process()); }

// A large one is reserved first; the pages of a small one are often there.
void* NewMemory::make(std::size_t bytes, std::size_t alignment, Pages pages, Failure& failure,
                      By by) {
  const bool is_small = bytes < page_wise_min;
  const std::size_t reserved = is_small ? 0 : bytes_to_reserve(bytes);
  if (!is_small && !reserve(reserved, failure)) return nullptr;
  void* const address = heap_.take(bytes, alignment, failure, by);
  if (address != nullptr && is_small && fill_small(address, bytes, failure)) return address;
  if (address != nullptr && !is_small) {
    base::mark_defined(address, bytes);
    if (fill(address, bytes, reserved, pages)) return address;
    const int error = errno;  // to look at what there is changes it
    failure = why_not_filled(error, node_.reservations().room().bytes);
  }
  settle(reserved);
  if (address != nullptr) heap_.give_back(address, bytes, by);
  return nullptr;
}

/// Fills the memory with pages. Memory that was reserved for it is there from then on, or is
/// promised to this rank.
bool NewMemory::fill(void* address, std::size_t bytes, std::size_t reserved, Pages pages) {
  Heap& heap = heap_.heap_of(address);
  const bool is_lazy = pages == Pages::when_touched;
  if (!(is_lazy ? heap.pages().fill_lazily(address, bytes) : heap.pages().fill(address, bytes)))
    return false;
  std::size_t promised = 0;
  if (is_lazy) {
    {
      const HeapLock one_at_a_time = heap_.lock();
      promised = own_page_bytes(address, heap_.main().block_bytes(address));
    }
    ARMATURE_ASSERT(promised <= reserved);
    node_.reservations().begin_lazy(promised, process(), heap_.me());
  }
  settle(reserved - promised);
  return true;
}

bool NewMemory::fill_small(void* address, std::size_t bytes, Failure& failure) {
  SegmentPages& pages = heap_.heap_of(address).pages();
  const std::size_t reserved = pages.missing(address, bytes);
  if (reserved == 0) return std::memset(address, 0, bytes) != nullptr;
  if (!reserve(reserved, failure)) return false;
  const bool filled = pages.fill(address, bytes);
  const int error = errno;
  if (!filled) failure = why_not_filled(error, node_.reservations().room().bytes);
  settle(reserved);
  return filled;
}

}  // namespace armature::space
