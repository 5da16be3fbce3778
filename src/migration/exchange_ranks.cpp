// The steps of quiesce/phases.hpp go on:
//
//   8     whoever is to come can be taken
//   9     all have come
//   10    nobody looks at where ranks are, so that can be changed
//   11,12 each process knows its ranks: they may be spoken with
#include "migration/exchange_ranks.hpp"

#include <algorithm>
#include <mutex>
#include <utility>
#include <vector>

#include "base/relaxed.hpp"
#include "fibers/rank_fiber.hpp"
#include "migration/rank_image.hpp"
#include "net/network.hpp"

namespace armature::migration {
namespace {

using net::network;
using quiesce::PhaseBarrier;
using transport::Links;

using base::relaxed;  // nobody runs

struct Journey {
  int rank, from, to;  // processes
};

/// Whether ranks go where they are to go, or, since something has gone wrong, stay. All processes
/// have the same when nothing is done any more that may go wrong.
enum class Goals { as_arranged, none };

Goals goals_of(const space::QuiesceState& quiesce) {
  return quiesce.broken.load(std::memory_order_acquire) != 0 ? Goals::none : Goals::as_arranged;
}

/// Finds the process in which a rank goes on.
int goal_of(const space::RankSlot& slot, Goals goals) {
  return (goals == Goals::none ? slot.process : slot.load.goes_to).load(relaxed);
}

/// Lists the ranks that change nodes.
std::vector<Journey> journeys(const space::Mapping& mapping, Goals goals) {
  std::vector<Journey> all;
  for (int rank = 0; rank < mapping.ranks(); ++rank) {
    const space::RankSlot& slot = mapping.slot(rank);
    const int to = goal_of(slot, goals);
    if (mapping.process_slot(to).node != slot.node)
      all.push_back({rank, slot.process.load(relaxed), to});
  }
  return all;
}

/// Called by the first process of each node.
void change_places(const space::Mapping& mapping, const std::vector<Journey>& all, Goals goals) {
  space::ControlHeader& job = mapping.header();
  for (const Journey& one : all) {
    space::RankSlot& slot = mapping.slot(one.rank);
    if (slot.node == job.node) {
      // A rank that notifies it has the network look.
      slot.asleep.store(1, relaxed);
      *mapping.fast_view(one.rank) = {};
      --job.here.ranks;
    }
    slot.node = mapping.process_slot(one.to).node;
    if (slot.node == job.node) ++job.here.ranks;
  }
  for (int rank = 0; rank < mapping.ranks(); ++rank) {
    space::RankSlot& slot = mapping.slot(rank);
    const int to = goal_of(slot, goals);
    // Moves of a rank are counted on its own node.
    if (slot.process.exchange(to, relaxed) != to && slot.node == job.node)
      slot.load.moves.fetch_add(1, relaxed);
    // Rings start again; of others' there are none here.
    slot.mailboxes.restore(0);
    slot.channels.restore(0);
    slot.next_awake.store(0, relaxed);
    // All look for themselves. One that still said it waits could be notified by ranks that go on
    // sooner. Its process, which does not know yet, would go on with it and let it wait anew.
    // Whoever notifies it then puts it into the list of those to run for a second time.
    if (slot.node == job.node) slot.asleep.store(space::ParkState::awake, relaxed);
  }
  for (std::uint32_t p = 0; p < job.processes; ++p)
    mapping.process_slot(static_cast<int>(p)).awake.store(0, relaxed);
  job.here.steal_request.store(0, relaxed);
}

/// The network is told early: what comes for a rank from now on may need its heap.
void host(const space::Mapping& mapping, int process) {
  net::Network::Spaces spaces;
  for (int rank = 0; rank < mapping.ranks(); ++rank) {
    if (mapping.slot(rank).process.load(relaxed) != process) continue;
    spaces.push_back(&fibers::RankFiber::of(mapping, rank).space());
  }
  network()->host(std::move(spaces));
}

/// Drops what is kept of ranks that have let go of all: where they were.
void forget() {
  const Links::Lock locked(network()->links().lock());
  network()->forget_ranks();
}

/// All of them know by now whether everything is written.
bool are_to_end(const space::QuiesceState& quiesce) {
  return quiesce.where.load(relaxed) == space::KeptIn::next_start &&
         quiesce.broken.load(std::memory_order_acquire) == 0;
}

}  // namespace

bool exchange_ranks(const space::Mapping& mapping, const PhaseBarrier& barrier, int process,
                    int segment_file, PageCache& left) {
  space::ControlHeader& job = mapping.header();
  if (are_to_end(job.quiesce)) {
    job.resize.restart.store(space::Restart::complete, std::memory_order_release);
    return false;
  }
  const Goals goals = goals_of(job.quiesce);
  const std::vector<Journey> all = journeys(mapping, goals);
  const auto comes = [&](const Journey& one) {
    return mapping.process_slot(one.to).node == job.node;
  };
  const auto leaves = [&](const Journey& one) { return mapping.is_here(one.rank); };
  left.begin();
  receive_into(segment_file);
  forget();
  barrier.reach(8);
  // Ranks are shown while others begin to send them.
  for (const Journey& one : all)
    if (comes(one)) space::show_segment(mapping, one.rank);
  receive_into_cache(left);
  barrier.all_reach(8);
  {
    const Links::Lock locked(network()->links().lock());
    network()->links().services().let_go();
  }

  for (const Journey& one : all)
    if (one.from == process) send_rank(mapping, segment_file, one.rank, left);
  const auto comes_to = [&](int by) {
    const int to = goal_of(mapping.slot(by), goals);
    const int node = mapping.process_slot(to).node;
    return node != mapping.slot(by).node && node != job.node ? to : -1;
  };
  for (int rank = 0; rank < mapping.ranks() && !all.empty(); ++rank)
    if (mapping.slot(rank).process.load(relaxed) == process)
      send_notifications(mapping, segment_file, rank, comes_to);
  barrier.become_quiet();
  barrier.reach(9);
  barrier.all_reach(9);

  for (const Journey& one : all)
    if (leaves(one)) space::hide_segment(mapping, one.rank);
  barrier.reach(10);
  barrier.node_reaches(10);
  if (barrier.leads()) change_places(mapping, all, goals);
  barrier.reach(11);
  barrier.all_reach(11);
  host(mapping, process);
  barrier.reach(12);
  barrier.all_reach(12);
  return true;
}

}  // namespace armature::migration
