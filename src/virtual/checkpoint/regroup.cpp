// Nobody runs a rank while this goes on, so whatever ranks and processes were about to do with each
// other is either in the bands, or does not matter any more: lists of those awake, bells, a
// checkpoint half written. Only the first process writes what all share. Should one die here, the
// launcher asks for another regrouping, and all begin again: nothing of it is harmed by being done
// twice.
#include "virtual/checkpoint/regroup.hpp"

#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <exception>
#include <vector>

#include "balance/in_rows.hpp"
#include "base/message.hpp"
#include "base/relaxed.hpp"
#include "virtual/checkpoint/copy.hpp"
#include "virtual/rank_fiber.hpp"
#include "virtual/rank_record.hpp"
#include "wait/processes.hpp"

namespace armature::checkpoints {
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
  if (slot.process.exchange(process, relaxed) != process) slot.moves.fetch_add(1, relaxed);
}

/// Each where it is to be; but who stays stays.
void place_as_planned(const space::Mapping& mapping, std::uint32_t regroup) {
  for (int rank = 0; rank < mapping.ranks(); ++rank) {
    const int there = mapping.slot(rank).goes_to.load(relaxed);
    if (there >= 0 && static_cast<std::uint32_t>(there) < mapping.header().processes &&
        mapping.process_slot(there).belongs(regroup) && !stays(mapping, rank))
      put(mapping, rank, there);
  }
}

/// Of each; those that are through are none.
std::vector<double> loads_of(const space::Mapping& mapping) {
  std::vector<double> loads;
  for (int rank = 0; rank < mapping.ranks(); ++rank) {
    const bool is_through =
        fibers::RankFiber::of(mapping, rank).state == fibers::RankFiber::State::through;
    loads.push_back(is_through ? 0 : fibers::load_of(mapping.slot(rank).busy_ns.load(relaxed)));
  }
  return loads;
}

/// Those of one process in a row, as much to compute for each; but who stays stays.
void spread_ranks(const space::Mapping& mapping, std::uint32_t regroup) {
  for (int rank = 0; rank < mapping.ranks(); ++rank)
    if (stays(mapping, rank)) keep_process(mapping, mapping.slot(rank).process.load(relaxed), rank);
  std::vector<int> members;
  for (int p = 0; p < static_cast<int>(mapping.header().processes); ++p)
    if (mapping.process_slot(p).belongs(regroup)) members.push_back(p);
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

/// Whoever was about to wake whom: all look for themselves.
void silence(const space::Mapping& mapping) {
  for (int rank = 0; rank < mapping.ranks(); ++rank) {
    mapping.slot(rank).asleep.store(space::Doze::awake, relaxed);
    mapping.slot(rank).next_awake.store(0, relaxed);
  }
  for (std::uint32_t p = 0; p < mapping.header().processes; ++p)
    mapping.process_slot(static_cast<int>(p)).awake.store(0, relaxed);
  mapping.header().hungry.store(0, relaxed);
}

/// A checkpoint that somebody had asked for will not be.
void cancel_checkpoint(space::Halt& halt) {
  base::copy_text(halt.problem, "a process was killed meanwhile");
  halt.failed.store(halt.wanted.load(relaxed), relaxed);
  halt.broken.store(0, relaxed);
  halt.over.store(halt.wanted.load(relaxed), std::memory_order_release);
  halt.asked.store(space::Asked::nothing, std::memory_order_release);
}

/// False when there is another one to come.
bool go_on(const space::Mapping& mapping, const fibers::Meeting& meeting, int band_file,
           std::uint32_t number) {
  space::Halt& halt = mapping.header().halt;
  const bool back = halt.regroup_as.load(relaxed) == space::Regroup::go_back;
  meeting.reach(1);
  if (!meeting.all_stand()) return false;
  if (back) {
    const Copy copy(mapping, band_file, halt.copy.load(std::memory_order_acquire));
    copy.bring_back(meeting);
    if (meeting.leads()) copy.give_records();
  }
  meeting.reach(2);
  if (!meeting.leads())
    return meeting.wait([&] { return halt.regrouped.load(std::memory_order_acquire) == number; });
  if (!meeting.all_reach(2)) return false;
  if (halt.regroup_as.load(relaxed) == space::Regroup::place)
    place_as_planned(mapping, number);
  else
    spread_ranks(mapping, number);
  silence(mapping);
  if (back) {
    cancel_checkpoint(halt);
    halt.recoveries.fetch_add(1, relaxed);
  }
  halt.regrouped.store(number, std::memory_order_release);
  return true;
}

/// By one that is no member: it leaves, or is still to come. What it hosts others may take from now
/// on; until they have, its ranks seem to be here. False when there is another regrouping to come.
bool look_on(const space::Mapping& mapping, const fibers::Meeting& meeting, int process,
             std::uint32_t number) {
  space::ProcessSlot& slot = mapping.process_slot(process);
  if (slot.since.load(std::memory_order_acquire) <= number)
    slot.step.store(wait::runs_no_more, std::memory_order_release);
  return meeting.wait([&] { return !mapping.header().halt.is_to_regroup(); });
}

bool has_left(const space::Mapping& mapping, int process) {
  const std::uint32_t until = mapping.process_slot(process).until.load(std::memory_order_acquire);
  return until != 0 && until <= mapping.header().halt.regrouped.load(std::memory_order_acquire);
}

}  // namespace

bool regroup(const space::Mapping& mapping, int process, int band_file) {
  const space::ControlHeader& job = mapping.header();
  for (;;) {
    const std::uint32_t number = job.halt.regroup.load(std::memory_order_acquire);
    const fibers::Meeting meeting(mapping, process, number, 0);
    try {
      if (meeting.is_member() ? go_on(mapping, meeting, band_file, number)
                              : look_on(mapping, meeting, process, number))
        return !has_left(mapping, process);
    } catch (const std::exception& error) {
      std::fprintf(stderr, "armature: the job cannot go back to its last checkpoint: %s\n",
                   error.what());
      _exit(1);
    }
    while (job.halt.regroup.load(std::memory_order_acquire) == number) {
      if (job.through.load(std::memory_order_acquire) >= job.ranks) return true;
      // The job is ended: whoever does so ends this process, too.
      constexpr timespec nap{0, 1'000'000};
      nanosleep(&nap, nullptr);
    }
  }
}

}  // namespace armature::checkpoints
