// Nobody runs a rank while this goes on, so whatever ranks and processes were about to do with each
// other is either in the segments, or does not matter any more: lists of those awake, notifiers, a
// checkpoint half written. Only the first process writes what all share. Should one die here, the
// launcher asks for another reconfiguration, and all begin again: nothing of it is harmed by being
// done twice.
#include "elastic/reconfigure.hpp"

#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <exception>
#include <vector>

#include "balance/in_rows.hpp"
#include "base/interleaving.hpp"
#include "base/message.hpp"
#include "base/relaxed.hpp"
#include "checkpoint/copy.hpp"
#include "fibers/rank_fiber.hpp"
#include "fibers/rank_record.hpp"
#include "quiesce/phase_barrier.hpp"
#include "wait/processes.hpp"

namespace armature::elastic {
namespace {

using base::relaxed;  // nobody runs

/// It holds something of its process, and so stays there.
bool stays(const space::Mapping& mapping, int rank) {
  return fibers::RankFiber::of(mapping, rank).tie() != space::Tie::none;
}

/// A process that was to leave and cannot.
void keep_process(const space::Mapping& mapping, int process, int holder) {
  space::ProcessSlot& slot = mapping.process_slot(process);
  if (slot.until.load(relaxed) == 0) return;
  slot.until.store(0, relaxed);
  slot.step.store(0, relaxed);  // it will run ranks again
  mapping.header().resize.holder_has.store(fibers::RankFiber::of(mapping, holder).tie(), relaxed);
  mapping.header().resize.holder.store(holder, relaxed);
}

void put(const space::Mapping& mapping, int rank, int process) {
  space::RankSlot& slot = mapping.slot(rank);
  if (slot.process.exchange(process, relaxed) != process) slot.load.moves.fetch_add(1, relaxed);
}

/// Each where it is to be; but who stays stays.
void place_as_planned(const space::Mapping& mapping, std::uint32_t reconfiguration) {
  for (int rank = 0; rank < mapping.ranks(); ++rank) {
    const int there = mapping.slot(rank).load.goes_to.load(relaxed);
    if (there >= 0 && static_cast<std::uint32_t>(there) < mapping.header().processes &&
        mapping.process_slot(there).belongs(reconfiguration) && !stays(mapping, rank))
      put(mapping, rank, there);
  }
}

/// The load of each rank; finished ranks have none.
std::vector<double> loads_of(const space::Mapping& mapping) {
  std::vector<double> loads;
  for (int rank = 0; rank < mapping.ranks(); ++rank) {
    const bool has_finished =
        fibers::RankFiber::of(mapping, rank).state == fibers::RankFiber::State::finished;
    loads.push_back(has_finished ? 0
                                 : fibers::load_of(mapping.slot(rank).load.busy_ns.load(relaxed)));
  }
  return loads;
}

/// Those of one process in a row, as much to compute for each; but who stays stays.
void spread_ranks(const space::Mapping& mapping, std::uint32_t reconfiguration) {
  for (int rank = 0; rank < mapping.ranks(); ++rank)
    if (stays(mapping, rank)) keep_process(mapping, mapping.slot(rank).process.load(relaxed), rank);
  std::vector<int> members;
  for (int p = 0; p < static_cast<int>(mapping.header().processes); ++p)
    if (mapping.process_slot(p).belongs(reconfiguration)) members.push_back(p);
  std::vector<int> kept;  // by rank: at which of the members
  for (int rank = 0; rank < mapping.ranks(); ++rank) {
    const int process = mapping.slot(rank).process.load(relaxed);
    const auto place = std::ranges::find(members, process) - members.begin();
    kept.push_back(stays(mapping, rank) ? static_cast<int>(place) : -1);
  }
  const balance::Plan plan =
      balance::in_rows(loads_of(mapping), kept, static_cast<int>(members.size()));
  for (int rank = 0; rank < mapping.ranks(); ++rank)
    put(mapping, rank, members[static_cast<std::size_t>(plan[static_cast<std::size_t>(rank)])]);
}

/// Forgets who was about to wake whom: all look for themselves.
void silence(const space::Mapping& mapping) {
  for (int rank = 0; rank < mapping.ranks(); ++rank) {
    mapping.slot(rank).asleep.store(space::ParkState::awake, relaxed);
    mapping.slot(rank).next_awake.store(0, relaxed);
  }
  for (std::uint32_t p = 0; p < mapping.header().processes; ++p)
    mapping.process_slot(static_cast<int>(p)).awake.store(0, relaxed);
  mapping.header().here.steal_request.store(0, relaxed);
}

/// A checkpoint that somebody had asked for will not be.
void cancel_checkpoint(space::QuiesceState& quiesce) {
  base::copy_text(quiesce.problem, "a process was killed meanwhile");
  quiesce.failed.store(quiesce.wanted.load(relaxed), relaxed);
  quiesce.over.store(quiesce.wanted.load(relaxed), std::memory_order_release);
  quiesce.asked.store(space::Asked::nothing, std::memory_order_release);
}

/// Throws quiesce::GivenUp when there is another one to come.
void go_on(const space::Mapping& mapping, const quiesce::PhaseBarrier& barrier, int segment_file,
           bool back) {
  space::QuiesceState& quiesce = mapping.header().quiesce;
  barrier.reach(1);
  barrier.node_stands();
  if (back) {
    const checkpoints::Copy copy(mapping, segment_file,
                                 quiesce.copy.load(std::memory_order_acquire));
    copy.bring_back(barrier.of_node());
    if (barrier.leads()) copy.give_records();
  }
  barrier.reach(2);
  const std::uint32_t number = barrier.epoch();
  if (!barrier.leads())
    return barrier.wait_until(
        [&] { return quiesce.epoch.entered.load(std::memory_order_acquire) == number; });
  barrier.all_reach(2);
  if (quiesce.epoch.how.load(relaxed) == space::Reconfiguration::place)
    place_as_planned(mapping, number);
  else
    spread_ranks(mapping, number);
  silence(mapping);
  quiesce.broken.store(0, relaxed);  // of what was given up
  if (back) {
    cancel_checkpoint(quiesce);
    quiesce.epoch.recoveries.fetch_add(1, relaxed);
  }
  quiesce.epoch.entered.store(number, std::memory_order_release);
}

/// By one that is no member: it leaves, or is still to come. What it hosts others may take from now
/// on; until they have, its ranks seem to be here. Throws the same.
void look_on(const space::Mapping& mapping, const quiesce::PhaseBarrier& barrier, int process) {
  space::ProcessSlot& slot = mapping.process_slot(process);
  if (slot.since.load(std::memory_order_acquire) <= barrier.epoch())
    slot.step.store(wait::runs_no_more, std::memory_order_release);
  barrier.wait_until([&] { return !mapping.header().quiesce.is_to_reconfigure(); });
}

bool has_left(const space::Mapping& mapping, int process) {
  const std::uint32_t until = mapping.process_slot(process).until.load(std::memory_order_acquire);
  return until != 0 &&
         until <= mapping.header().quiesce.epoch.entered.load(std::memory_order_acquire);
}

}  // namespace

bool reconfigure(const space::Mapping& mapping, int process, int segment_file,
                 const std::function<void()>& before_rolling_back) {
  const space::ControlHeader& job = mapping.header();
  for (;;) {
    const std::uint32_t number = job.quiesce.epoch.wanted.load(std::memory_order_acquire);
    const bool back = job.quiesce.epoch.how.load(relaxed) == space::Reconfiguration::roll_back;
    const auto barrier = quiesce::PhaseBarrier::of_epoch(mapping, process, number);
    if (back) before_rolling_back();
    try {
      barrier.of_node().is_member() ? go_on(mapping, barrier, segment_file, back)
                                    : look_on(mapping, barrier, process);
      return !has_left(mapping, process);
    } catch (const quiesce::GivenUp&) {  // another one has been asked for, or the job ends
    } catch (const std::exception& error) {
      std::fprintf(stderr, "armature: the job cannot go back to its last checkpoint: %s\n",
                   error.what());
      _exit(1);
    }
    while (job.quiesce.epoch.wanted.load(std::memory_order_acquire) == number) {
      if (job.here.finished.load(std::memory_order_acquire) >= job.ranks) return true;
      // The job is ended: whoever does so ends this process, too.
      base::pause_for_others(1'000'000);
    }
  }
}

}  // namespace armature::elastic
