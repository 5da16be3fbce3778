#include "extent.hpp"

#include <bit>

#include <armature/layer/direct.hpp>
#include <armature/layer/symmetric.hpp>
#include <armature/run.hpp>
#include <armature/virtual.hpp>

#include "shmem.h"

// Both sides of one memory: the layouts that inlined routines read, and the library.
static_assert(offsetof(shmem_reach, shmem_of_pes) == offsetof(armature::detail::View, segments));
static_assert(offsetof(shmem_reach, shmem_pes) == offsetof(armature::detail::View, ranks));
static_assert(sizeof(shmem_reach_of_pe) == sizeof(armature::detail::SegmentView));
static_assert(offsetof(shmem_reach_of_pe, shmem_begin) ==
              offsetof(armature::detail::SegmentView, begin));
static_assert(offsetof(shmem_reach_of_pe, shmem_extent) ==
              offsetof(armature::detail::SegmentView, extent));

shmem_way shmem_direct_way = {shmem::DirectWay::nowhere, 0,
                              reinterpret_cast<const shmem_reach*>(&armature::detail::view), 0};

namespace shmem {

HeapExtent heap_extent;
DirectWay direct_way;
StaticsExtent statics_extent;
bool looks_for_races = false;

void know_heap(const std::byte* low, const std::byte* high) {
  armature::World& world = armature::world();
  const auto stride = static_cast<std::uintptr_t>(armature::layer::segment_stride());
  heap_extent.stride_bits = std::countr_zero(stride);
  heap_extent.span = stride * static_cast<std::uintptr_t>(world.size());
  heap_extent.begin =
      reinterpret_cast<std::uintptr_t>(low) - static_cast<std::uintptr_t>(world.rank()) * stride;
  // Release: who sees these bytes sees where they begin.
  heap_extent.bytes.store(static_cast<std::size_t>(high - low), std::memory_order_release);
  if (armature::rank_kind() != armature::RankKind::process) return;
  heap_extent.own = reinterpret_cast<std::uintptr_t>(low);
  heap_extent.to_first = heap_extent.begin - heap_extent.own;
  if (const DirectWay way{heap_extent.to_first, stride}; way != direct_way) {
    direct_way = way;
    if (!is_routine_taken()) {
      shmem_direct_way.shmem_stride = way.stride;
      shmem_direct_way.shmem_to_first = way.to_first;
    }
  }
  heap_extent.own_bytes.store(static_cast<std::size_t>(high - low), std::memory_order_release);
}

void let_programs_look() {
  if (direct_way.to_first == DirectWay::nowhere || is_routine_taken()) return;
  // As long as a word from another core of the node takes, and back.
  shmem_direct_way.shmem_looks = 300;
}

void forget_heap() {
  heap_extent.bytes = 0;
  if (direct_way.to_first != DirectWay::nowhere) direct_way.to_first = DirectWay::nowhere;
  if (shmem_direct_way.shmem_to_first != DirectWay::nowhere)
    shmem_direct_way.shmem_to_first = DirectWay::nowhere;
  if (shmem_direct_way.shmem_looks != 0) shmem_direct_way.shmem_looks = 0;
  heap_extent.own_bytes = 0;
}

}  // namespace shmem
