#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace shmem {

/// The extent of all heaps of the job in the first rank's segment. It is the same for all ranks of
/// the job, so it is the process's; it only grows.
struct HeapExtent {
  std::atomic<std::uintptr_t> begin = 0;
  std::atomic<std::size_t> bytes = 0;
  std::atomic<int> stride_bits = 0;      // segments are so many bits of an address apart
  std::atomic<std::uintptr_t> span = 0;  // of all segments
};
[[gnu::visibility("hidden")]] extern HeapExtent heap_extent;

/// Adds a block of the calling rank's heap to the extent.
void know_heap(const std::byte* begin, std::size_t bytes);
/// There is no heap any more.
void forget_heap();

}  // namespace shmem
