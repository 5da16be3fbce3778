#include "extent.hpp"

#include <algorithm>
#include <bit>

#include <armature/layer/symmetric.hpp>
#include <armature/run.hpp>

namespace shmem {

HeapExtent heap_extent;

void know_heap(const std::byte* begin, std::size_t bytes) {
  armature::World& world = armature::world();
  const auto stride = static_cast<std::uintptr_t>(armature::layer::segment_stride());
  const std::uintptr_t first =
      reinterpret_cast<std::uintptr_t>(begin) - static_cast<std::uintptr_t>(world.rank()) * stride;
  const std::size_t known = heap_extent.bytes;
  const std::uintptr_t low =
      known == 0 ? first : std::min<std::uintptr_t>(heap_extent.begin, first);
  const std::uintptr_t high =
      known == 0 ? first + bytes : std::max(heap_extent.begin + known, first + bytes);
  heap_extent.stride_bits = std::countr_zero(stride);
  heap_extent.span = stride * static_cast<std::uintptr_t>(world.size());
  heap_extent.begin = low;
  // Release: who sees these bytes sees where they begin.
  heap_extent.bytes.store(high - low, std::memory_order_release);
}

void forget_heap() { heap_extent.bytes = 0; }

}  // namespace shmem
