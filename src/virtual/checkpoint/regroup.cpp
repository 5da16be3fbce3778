// Nobody runs a rank while this goes on, so whatever ranks and processes were about to do with each
// other is either in the bands, or does not matter any more: lists of those awake, bells, a
// checkpoint half written. Only the first process writes what all share. Should one die here, the
// launcher asks for another regrouping, and all begin again: nothing of it is harmed by being done
// twice.
#include "virtual/checkpoint/regroup.hpp"

#include <unistd.h>

#include <cstdio>
#include <cstring>
#include <exception>

#include "virtual/checkpoint/copy.hpp"

namespace armature::checkpoints {
namespace {

constexpr auto relaxed = std::memory_order_relaxed;  // nobody runs

/// Those of one process in a row, as many for each.
void place_ranks(const space::Mapping& mapping, const Meeting& meeting) {
  const auto ranks = static_cast<std::uint64_t>(mapping.ranks());
  const std::uint64_t processes = meeting.members().size();
  for (std::uint64_t rank = 0; rank < ranks; ++rank) {
    space::RankSlot& slot = mapping.slot(static_cast<int>(rank));
    slot.process.store(meeting.members()[rank * processes / ranks], relaxed);
    slot.asleep.store(space::Doze::awake, relaxed);
    slot.next_awake.store(0, relaxed);
  }
  for (std::uint32_t p = 0; p < mapping.header().processes; ++p)
    mapping.process_slot(static_cast<int>(p)).awake.store(0, relaxed);
  mapping.header().hungry.store(0, relaxed);
}

/// A checkpoint that somebody had asked for will not be.
void cancel_checkpoint(space::Halt& halt) {
  constexpr char why[] = "a process was killed meanwhile";
  std::memcpy(halt.problem, why, sizeof why);
  halt.failed.store(halt.wanted.load(relaxed), relaxed);
  halt.broken.store(0, relaxed);
  halt.over.store(halt.wanted.load(relaxed), std::memory_order_release);
  halt.asked.store(0, std::memory_order_release);
}

/// False when there is another one to come.
bool go_on(const space::Mapping& mapping, const Meeting& meeting, int band_file,
           std::uint32_t number) {
  space::Halt& halt = mapping.header().halt;
  const bool back = halt.regroup_as.load(relaxed) == space::Regroup::go_back;
  meeting.reach(1);
  if (!meeting.all_reach(1)) return false;
  if (back) {
    const Copy copy(mapping, band_file, halt.copy.load(std::memory_order_acquire));
    copy.bring_back(meeting);
    if (meeting.leads()) copy.give_records();
  }
  meeting.reach(2);
  if (!meeting.leads())
    return meeting.wait([&] { return halt.regrouped.load(std::memory_order_acquire) == number; });
  if (!meeting.all_reach(2)) return false;
  place_ranks(mapping, meeting);
  if (back) {
    cancel_checkpoint(halt);
    halt.recoveries.fetch_add(1, relaxed);
  }
  halt.regrouped.store(number, std::memory_order_release);
  return true;
}

}  // namespace

void regroup(const space::Mapping& mapping, int process, int band_file) {
  const space::ControlHeader& job = mapping.header();
  for (;;) {
    const std::uint32_t number = job.halt.regroup.load(std::memory_order_acquire);
    const Meeting meeting(mapping, process, number, 0);
    // One that is to leave stands, too: its ranks must be still when others take them.
    try {
      if (go_on(mapping, meeting, band_file, number)) return;
    } catch (const std::exception& error) {
      std::fprintf(stderr, "armature: the job cannot go back to its last checkpoint: %s\n",
                   error.what());
      _exit(1);
    }
    while (job.halt.regroup.load(std::memory_order_acquire) == number) {
      // The job ends: whoever ends it ends this process, too.
      constexpr timespec nap{0, 1'000'000};
      nanosleep(&nap, nullptr);
    }
  }
}

}  // namespace armature::checkpoints
