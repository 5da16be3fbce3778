#include "fibers/rank_fiber.hpp"

#include <new>

#include "base/valgrind.hpp"
#include "fibers/stack_guard.hpp"
#include "space/virtual_segment.hpp"

namespace armature::fibers {
namespace {

constexpr std::size_t record_bytes = (sizeof(RankFiber) + 63) / 64 * 64;

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
  guard_stack(stack_begin(mapping, rank), space::VirtualSegment(mapping.header()).guard_bytes,
              static_cast<std::uint64_t>(mapping.ranks()));
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
  fiber->inside =
      make_stack(stack, static_cast<std::size_t>(stack - stack_begin(mapping, rank)), what.entry);
  return *fiber;
}

}  // namespace armature::fibers
