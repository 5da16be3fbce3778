// Some processes leave a job of several nodes, and all others stay. Their ranks have gone to the
// others, in steps 8 to 12 (migration/exchange_ranks.cpp). One more step tells when they may end:
//
//   13    nobody takes the end of those who leave for a loss any more
//
// Claim: all processes agree on who has left.
//
// 1. Whoever is here has passed step 12, so all have taken that: who leaves hosts no rank, on all
//    nodes. From now on each node says of it that it has left (ProcessSlot::in_order), and waits
//    for it no more, nor takes its end for a loss (net::Network).
// 2. Who leaves ends when all others have taken step 13, and so have parted with it.
// 3. Where it is killed sooner, some node may take that for a loss, and roll back. That node tells
//    all others, which then take it for lost, too, whatever they have said of it before
//    (wait::lose_process). So does whoever rolls back for another loss meanwhile
//    (quiesce::enter_losses). All agree in the end that it is lost.
#include "elastic/leave.hpp"

#include <vector>

#include "net/network.hpp"
#include "transport/links.hpp"
#include "wait/processes.hpp"

namespace armature::elastic {
namespace {

using transport::Links;

/// One that is known to be lost stays so: then all roll back, soon.
void note_that_it_leaves(const space::Mapping& mapping, int process) {
  std::uint32_t member = 0;
  mapping.process_slot(process).until.compare_exchange_strong(member, space::ProcessSlot::in_order,
                                                              std::memory_order_acq_rel);
}

}  // namespace

void part_with_those_who_leave(const space::Mapping& mapping,
                               const quiesce::PhaseBarrier& barrier) {
  // All have seen the same since step 5.
  if (mapping.header().quiesce.broken.load(std::memory_order_acquire) != 0) return;
  const std::vector<int> leaving = wait::those_who_change(mapping, &space::ProcessSlot::leaves);
  if (leaving.empty()) return;
  for (const int one : leaving) note_that_it_leaves(mapping, one);
  barrier.reach(13);
  barrier.all_reach(13);
}

void leave_in_order(const space::Mapping& mapping, int process) {
  Links& links = net::network()->links();
  {
    const Links::Lock locked(links.lock());
    for (const int other : net::network()->others()) links.give_up(other, "this process leaves");
  }
  mapping.process_slot(process).step.store(wait::runs_no_more, std::memory_order_release);
}

}  // namespace armature::elastic
