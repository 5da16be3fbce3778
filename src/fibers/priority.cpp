// Messages between two ranks keep their order, so a message is urgent by its receiver's having its
// turn soon. A priority in each message was rejected. Every call would pay for the mark, and
// messages that came earlier would have to be put aside where the receiver reads in place.
//
// A sender of something urgent says so in the receiver's slot, and then to the process that hosts
// it. That process looks through its ranks that are ready once, for all that are urgent by then;
// the more there are, the less often.
#include "fibers/priority.hpp"

#include <mutex>

#include <fmt/format.h>

#include "armature/virtual.hpp"
#include "base/fail.hpp"
#include "base/relaxed.hpp"
#include "fibers/rank_scheduler.hpp"
#include "fibers/records.hpp"
#include "net/network.hpp"
#include "rmi/endpoint.hpp"
#include "wait/rank_context.hpp"

namespace armature {
namespace fibers {
namespace {

using base::relaxed;  // hints, by which nothing else is found
using net::network;
using transport::Link;
using transport::Links;

void require_priority(int priority, const char* call) {
  if (priority < -priority_max || priority > priority_max)
    base::fail(Errc::bad_argument, fmt::format("{}: {} is not between {} and {}", call, priority,
                                               -priority_max, priority_max));
}

/// The scheduler that gives the calling rank its turns; nullptr where it has a thread of its own,
/// or where a seed decides.
RankScheduler* scheduler_of(const wait::RankContext& me) {
  if (me.space.header().ranks_are_virtual == 0) return nullptr;
  return static_cast<RankScheduler*>(me.scheduler);
}

void urge(const space::Mapping& job, int rank, std::uint32_t urgency) {
  space::RankSlot& slot = job.slot(rank);
  std::uint32_t before = slot.urgency.load(relaxed);
  while (before < urgency && !slot.urgency.compare_exchange_weak(before, urgency, relaxed)) {
  }
  // Release, and an exchange: who sees it sees how urgent each is of whom it was said. A rank that
  // has moved meanwhile has lost its haste.
  space::ProcessSlot& home = job.process_slot(slot.process.load(relaxed));
  home.has_urgent.exchange(1, std::memory_order_acq_rel);
}

/// Posts the request behind what the rank has sent there before.
void urge_remote(int me, int rank, std::uint32_t urgency) {
  const Links::Lock locked(network()->links().lock());
  network()->rings().look_again(me);
  Link& link = network()->link_to(rank);
  link.post(Kind::urgent, me, rank, urgency, Link::Ack::none);
  link.flush();
}

void on_urgent(const transport::Arrived& arrived) {
  const space::Mapping& job = network()->mapping();
  const int rank = arrived.record.to;
  const auto urgency = arrived.head<std::uint32_t>();
  if (rank < 0 || rank >= job.ranks() || urgency > RankFiber::urgency_of(priority_max))
    base::fail(Errc::corrupt,
               fmt::format("process {} has something urgent for rank {}", arrived.process, rank));
  if (job.is_here(rank)) urge(job, rank, urgency);
}

}  // namespace

const std::array<transport::Handling, 1> urgent_handlers{{
    {.kind = transport::number_of(Kind::urgent), .handler = on_urgent},
}};

}  // namespace fibers

void set_priority(int priority) {
  const wait::RankContext& me = wait::this_rank("set_priority");
  fibers::require_priority(priority, "set_priority");
  if (auto* const scheduler = fibers::scheduler_of(me))
    scheduler->ranks().stacks.running().priority = static_cast<std::int8_t>(priority);
}

int priority() {
  auto* const scheduler = fibers::scheduler_of(wait::this_rank("priority"));
  return scheduler != nullptr ? scheduler->ranks().stacks.running().priority : 0;
}

void expedite(Rank rank, int priority) {
  const wait::RankContext& me = wait::this_rank("expedite");
  const space::Mapping& job = me.space;
  job.require_rank(rank, "expedite");
  fibers::require_priority(priority, "expedite");
  {
    rmi::Endpoint& endpoint = rmi::this_endpoint("expedite");
    const rmi::Endpoint::Use in_use = endpoint.use();
    endpoint.outbox().flush();
  }
  if (fibers::scheduler_of(me) == nullptr) return;
  const std::uint32_t urgency = fibers::RankFiber::urgency_of(priority);
  if (job.is_here(rank))
    fibers::urge(job, rank, urgency);
  else
    fibers::urge_remote(me.space.me(), rank, urgency);
}

}  // namespace armature
