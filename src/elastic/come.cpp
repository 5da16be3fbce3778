// A process has been started for the job and waits (ProcessSlot::to_come). Nobody needs it, so its
// end harms nobody. The plan for a quiescence names it (ProcessSlot::comes). Then it and the
// processes of other nodes connect to each other, and one more step of quiesce/phases.hpp follows:
//
//   7     each node has admitted it, or something has gone wrong
//
// Claim: when ranks are exchanged, all nodes have it, or none.
//
// 1. One word decides on each node, ProcessSlot::until. The first process of the node lets it go
//    from to_come to admitted. The launcher, which hears of the process's end, lets it go from
//    to_come to in_order. Only one of them succeeds.
// 2. A first process that has not succeeded tells a problem before it takes step 7. So all know of
//    it when they have taken that step, and no node has the process.
// 3. If no problem was told, all nodes have admitted it, and have it after step 7. The launcher has
//    not succeeded anywhere: the end of the process is now that of any other.
// 4. Nobody waits for the process before all have taken step 7. So its end keeps nobody waiting.
//    Where there are no other nodes any more, it may not have begun by then. It does its part all
//    the same, and others wait for it in step 8 (ProcessQuiesce::is_to_come_).
// 5. Where all roll back meanwhile, some node may have it. So all take it for lost
//    (quiesce::enter_losses), and it ends.
#include "elastic/come.hpp"

#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <mutex>
#include <vector>

#include <fmt/format.h>

#include "armature/error.hpp"
#include "base/fail.hpp"
#include "base/simulated.hpp"
#include "elastic/leave.hpp"
#include "net/network.hpp"
#include "quiesce/losses.hpp"
#include "quiesce/poll.hpp"
#include "wait/processes.hpp"

namespace armature::elastic {
namespace {

using space::ProcessSlot;

/// The process is not to come after all.
struct Dismissed {};

std::vector<int> those_who_come(const space::Mapping& mapping) {
  return wait::those_who_change(mapping, &ProcessSlot::comes);
}

bool has_gone_wrong(const space::ControlHeader& job) {
  return job.quiesce.broken.load(std::memory_order_acquire) != 0;
}

/// All processes are to end, and others go on from what is written.
bool are_to_end(const space::ControlHeader& job) {
  return job.resize.restart.load(std::memory_order_acquire) == space::Restart::complete;
}

bool changes(ProcessSlot& slot, std::uint32_t before, std::uint32_t after) {
  return slot.until.compare_exchange_strong(before, after, std::memory_order_acq_rel);
}

std::string has_ended(int process) {
  return fmt::format("process {} has ended before the job had it", process);
}

/// The first process of the node says whether the node admits them.
void admit(const space::Mapping& mapping, const quiesce::PhaseBarrier& barrier,
           const std::vector<int>& coming) {
  for (const int one : coming)
    if (!changes(mapping.process_slot(one), ProcessSlot::to_come, ProcessSlot::admitted))
      barrier.tell_problem(has_ended(one));
}

/// All nodes have admitted them. One that others have lost meanwhile stays so.
void take_in(const space::Mapping& mapping, const std::vector<int>& coming) {
  space::ControlHeader& job = mapping.header();
  for (const int one : coming) {
    ProcessSlot& slot = mapping.process_slot(one);
    if (slot.node == job.node) ++job.here.processes;
    (void)changes(slot, ProcessSlot::admitted, 0);
  }
}

void dismiss(const space::Mapping& mapping, const quiesce::PhaseBarrier& barrier,
             const std::vector<int>& coming) {
  transport::Links& links = net::network()->links();
  const transport::Links::Lock locked(links.lock());
  for (const int one : coming) {
    if (barrier.leads())
      for (const std::uint32_t before : {ProcessSlot::to_come, ProcessSlot::admitted})
        (void)changes(mapping.process_slot(one), before, ProcessSlot::in_order);
    if (links.is_connected(one)) links.give_up(one, "it does not come");
  }
}

/// Ranks may have changed nodes since the process has mapped their memory.
void show_ranks_of_node(const space::Mapping& mapping) {
  for (int rank = 0; rank < mapping.ranks(); ++rank)
    mapping.is_here(rank) ? space::show_segment(mapping, rank) : space::hide_segment(mapping, rank);
}

/// The processes of other nodes that this one meets as it comes: those that the job has, and those
/// that come with it.
std::vector<int> those_to_meet(const space::Mapping& mapping,
                               const quiesce::PhaseBarrier& barrier) {
  const space::ControlHeader& job = mapping.header();
  std::vector<int> others = those_who_come(mapping);
  for (int process = 0; process < static_cast<int>(job.processes); ++process)
    if (mapping.process_slot(process).belongs(barrier.epoch())) others.push_back(process);
  std::erase_if(others,
                [&](int process) { return mapping.process_slot(process).node == job.node; });
  return others;
}

void meet_all(const space::Mapping& mapping, const quiesce::PhaseBarrier& barrier,
              const ProcessSlot& self) {
  try {
    net::network()->meet(those_to_meet(mapping, barrier), net::Network::Comes::this_one, [&] {
      barrier.require_to_go_on();
      if (self.has_left()) throw Dismissed();
    });
  } catch (const Error& error) {
    std::fprintf(stderr, "armature: this process cannot come to the job: %s\n", error.what());
    if (base::simulated.die != nullptr) base::simulated.die();
    _exit(1);
  }
}

}  // namespace

void meet_those_who_come(const space::Mapping& mapping, const quiesce::PhaseBarrier& barrier) {
  std::vector<int> coming = those_who_come(mapping);
  std::erase_if(coming,
                [&](int one) { return mapping.process_slot(one).node == mapping.header().node; });
  net::network()->meet(coming, net::Network::Comes::they, [&] {
    barrier.require_to_go_on();
    for (const int one : coming)
      if (!mapping.process_slot(one).is_to_come()) base::fail(Errc::start, has_ended(one));
  });
}

void admit_those_who_come(const space::Mapping& mapping, const quiesce::PhaseBarrier& barrier) {
  const std::vector<int> coming = those_who_come(mapping);
  if (coming.empty()) return;
  const space::ControlHeader& job = mapping.header();
  // All have seen the same since step 5.
  if (!has_gone_wrong(job)) {
    if (barrier.leads()) admit(mapping, barrier, coming);
    barrier.reach(7);
    barrier.all_reach(7);
  }
  if (has_gone_wrong(job)) return dismiss(mapping, barrier, coming);
  if (barrier.leads()) take_in(mapping, coming);
  barrier.wait_until([&] {
    return std::ranges::none_of(coming,
                                [&](int one) { return mapping.process_slot(one).is_to_come(); });
  });
}

bool come(const space::Mapping& mapping, const quiesce::PhaseBarrier& barrier, int process) {
  const space::ControlHeader& job = mapping.header();
  const ProcessSlot& self = mapping.process_slot(process);
  const std::uint32_t number = job.quiesce.wanted.load(std::memory_order_acquire);
  if (self.comes.load(std::memory_order_acquire) != number) {
    barrier.wait_until([&] {
      return job.quiesce.over.load(std::memory_order_acquire) == number || self.has_left() ||
             are_to_end(job);
    });
    return false;
  }
  quiesce::know_losses(mapping);
  show_ranks_of_node(mapping);
  try {
    meet_all(mapping, barrier, self);
  } catch (const Dismissed&) {
    return false;
  }
  barrier.wait_until([&] { return !self.is_to_come(); });
  return !self.has_left();
}

namespace {

/// All processes of its node that the job had are lost: nobody will tell it anything.
bool is_alone_on_node(const space::Mapping& mapping) {
  const space::ControlHeader& job = mapping.header();
  for (int process = 0; process < static_cast<int>(job.processes); ++process)
    if (const ProcessSlot& slot = mapping.process_slot(process);
        slot.node == job.node && !wait::is_gone(slot))
      return false;
  return true;
}

}  // namespace

bool look_on(const space::Mapping& mapping, int process) {
  const space::ControlHeader& job = mapping.header();
  const ProcessSlot& self = mapping.process_slot(process);
  quiesce::poll_until([&] {
    return !self.is_to_come() || !job.quiesce.is_to_reconfigure() || are_to_end(job) ||
           wait::all_have_finished(mapping) || is_alone_on_node(mapping);
  });
  if (is_alone_on_node(mapping) && !wait::all_have_finished(mapping)) {
    leave_in_order(mapping, process);
    return false;
  }
  return !are_to_end(job);
}

}  // namespace armature::elastic
