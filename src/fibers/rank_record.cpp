#include "fibers/rank_record.hpp"

#include "base/clock.hpp"
#include "base/fail.hpp"
#include "base/relaxed.hpp"

namespace armature::fibers {

namespace {
using base::relaxed;  // nobody runs
}

RankRecord RankRecord::of(const space::Mapping& mapping, int rank) {
  const space::RankSlot& slot = mapping.slot(rank);
  RankRecord record;
  record.heap_begin =
      reinterpret_cast<std::uintptr_t>(mapping.segment(rank)) + mapping.heap_offset();
  record.heap_extent = mapping.extent(rank);
  record.mailboxes = slot.mailboxes.last();
  record.channels = slot.channels.last();
  record.busy_ns = slot.load.busy_ns.load(relaxed);
  record.moves = slot.load.moves.load(relaxed);
  record.life = static_cast<std::uint32_t>(slot.life.load(relaxed));
  record.awaiting = static_cast<std::uint32_t>(slot.wait.awaiting.load(relaxed));
  record.peer = slot.wait.peer.load(relaxed);
  record.team = slot.wait.team.load(relaxed);
  record.object = slot.wait.object.load(relaxed);
  record.detail = slot.wait.detail.load(relaxed);
  return record;
}

void RankRecord::give(const space::Control& control, int rank) const {
  space::ControlHeader& job = control.header();
  const std::uint64_t segment =
      job.layout.segment_base + static_cast<std::uint64_t>(rank) * job.layout.segment_bytes;
  if (mailboxes > job.ranks || channels > job.ranks ||
      life > static_cast<std::uint32_t>(space::Life::finished) || heap_begin < segment ||
      heap_begin - segment > job.layout.segment_bytes ||
      heap_extent > job.layout.segment_bytes - (heap_begin - segment))
    base::fail(Errc::corrupt, "what the checkpoint says of a rank makes no sense");
  space::RankSlot& slot = control.slot(rank);
  // The heap's beginning is known when there is a heap.
  control.segments()[rank].begin = heap_begin;
  control.segments()[rank].extent = heap_extent;
  slot.mailboxes.restore(mailboxes);
  slot.channels.restore(channels);
  // These have been shown of a moment that is no more.
  slot.full.until.store(0, relaxed);
  slot.full.before.store(0, relaxed);
  slot.urgency.store(0, relaxed);
  slot.load.busy_ns.store(busy_ns, relaxed);
  slot.load.moves.store(moves, relaxed);
  slot.wait.peer.store(peer, relaxed);
  slot.wait.team.store(team, relaxed);
  slot.wait.object.store(object, relaxed);
  slot.wait.detail.store(detail, relaxed);
  slot.wait.since_ns.store(base::now_ns(), relaxed);
  slot.wait.awaiting.store(static_cast<space::Awaiting>(awaiting), relaxed);
  slot.life.store(static_cast<space::Life>(life), relaxed);
  if (life == static_cast<std::uint32_t>(space::Life::finished))
    job.gone.left.fetch_add(1, relaxed);
}

}  // namespace armature::fibers
