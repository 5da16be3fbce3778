// Memory of this process that only the routines of its kind touch (MemoryKind): complete when the
// call returns.
#include "rma/memory.hpp"
#include "rma/protocol.hpp"
#include "rma/rows.hpp"
#include "rma/target.hpp"
#include "wait/rank_context.hpp"

namespace armature::rma {
namespace {

/// Pieces of a list may be of several kinds.
Target target_at(Rank rank, std::uint64_t address, std::uint64_t bytes, const char* call) {
  const space::Mapping& mapping = wait::mapping(call);
  const auto memory = memory_at(mapping, rank, address, bytes);
  return Target(mapping, rank, memory ? memory->kind : nullptr, {rank, await_chunk});
}

detail::Request* start_by_routine(const Operation& what, Finish /*now*/) {
  for_each_rows(what, [&](const Rows& rows) {
    const Target target =
        target_at(what.rank, lowest_of(rows, what.verb), rows.row_bytes, what.call());
    switch (what.verb) {
      case Verb::put:
        return target.write(rows);
      case Verb::get:
        return target.read(rows);
      case Verb::add:
        return target.add(rows, what.update);
    }
  });
  return nullptr;
}

detail::Request* start_atomic_by_routine(const Atomic& what, Finish /*now*/, std::uint64_t& found) {
  found =
      target_at(what.rank, what.record.address, what.record.bytes, what.call).perform(what.record);
  return nullptr;
}

}  // namespace

const Protocol by_routine{
    .name = "routine", .start = start_by_routine, .start_atomic = start_atomic_by_routine};

}  // namespace armature::rma
