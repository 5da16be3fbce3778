// Below the stack lie pages that must not be touched, so that a rank that needs more ends with a
// word about it instead of writing over what lies there. An area without access is as cheap if it
// is as large as the stack, and then few frames skip it. It makes two areas more for each rank,
// which for many is more than the kernel allows a process. These have a small guard inside the
// area, where the kernel has that, or none. Kernels have it since 6.15; each of its pages is an
// entry of a page table.
#include "fibers/rank_fiber.hpp"

#include <sys/mman.h>

#include <new>

#include "base/process_memory.hpp"
#include "base/valgrind.hpp"
#include "space/virtual_segment.hpp"

#ifndef MADV_GUARD_INSTALL
#define MADV_GUARD_INSTALL 102
#endif

namespace armature::fibers {
namespace {

constexpr std::size_t record_bytes = (sizeof(RankFiber) + 63) / 64 * 64;

void guard(std::byte* stack, const space::VirtualSegment& segment, int ranks) {
  const base::ProcessMemory processes;  // not the rank's doing that happens to run
  if (space::VirtualSegment::guards_are_areas(static_cast<std::uint64_t>(ranks)) &&
      mprotect(stack - segment.guard_bytes, segment.guard_bytes, PROT_NONE) == 0)
    return;
  (void)madvise(stack - space::stack_guard_bytes, space::stack_guard_bytes, MADV_GUARD_INSTALL);
}

/// The end of the record.
std::byte* top(const space::Mapping& mapping, int rank) {
  return mapping.segment(rank) +
         space::VirtualSegment(mapping.header()).stack_top(static_cast<std::uint64_t>(rank));
}

std::byte* stack_begin(const space::Mapping& mapping, int rank) {
  return mapping.segment(rank) +
         space::VirtualSegment(mapping.header()).stack_low(static_cast<std::uint64_t>(rank));
}

space::RankHeap& make_heap(const space::Mapping& mapping, int rank) {
  const space::VirtualSegment places(mapping.header());
  std::byte* const segment = mapping.segment(rank);
  return space::RankHeap::create({top(mapping, rank), segment + places.heap()},
                                 {segment + places.more_of_rank_heap(),
                                  segment + mapping.segment_bytes() - OwnProgram::bytes()});
}

}  // namespace

RankFiber::RankFiber(const space::Mapping& mapping, int the_rank)
    : rank(the_rank), slot(&mapping.slot(the_rank)) {}

RankFiber& RankFiber::of(const space::Mapping& mapping, int rank) {
  return *std::launder(reinterpret_cast<RankFiber*>(top(mapping, rank) - record_bytes));
}

void RankFiber::arrange_process(const space::Mapping& mapping) const {
  guard(stack_begin(mapping, rank), space::VirtualSegment(mapping.header()), mapping.ranks());
  program.map_code();
}

space::AddressSpace& RankFiber::space() {
  return *std::launder(reinterpret_cast<space::AddressSpace*>(space_memory));
}

RankFiber& RankFiber::make(const space::Mapping& mapping, const New& what) {
  const int rank = what.rank;
  std::byte* const end = top(mapping, rank);
  auto* fiber = new (end - record_bytes) RankFiber(mapping, rank);
  fiber->program.make(rank);
  fiber->arrange_process(mapping);
  const auto offset = static_cast<std::uint64_t>(rank) * mapping.segment_bytes();
  new (fiber->space_memory)
      space::AddressSpace(mapping, rank, space::AddressSpace::SegmentFile{what.file, offset});
  if (what.has_heap) fiber->heap = &make_heap(mapping, rank);
  fiber->life = what.life;
  std::byte* const stack = end - record_bytes;
  base::register_stack(stack_begin(mapping, rank), stack);
  fiber->inside = boost::context::detail::make_fcontext(
      stack, static_cast<std::size_t>(stack - stack_begin(mapping, rank)), what.entry);
  return *fiber;
}

}  // namespace armature::fibers
