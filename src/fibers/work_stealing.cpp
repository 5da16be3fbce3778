#include "fibers/work_stealing.hpp"

#include <atomic>

#include "base/clock.hpp"
#include "fibers/rank_transfer.hpp"
#include "net/network.hpp"
#include "wait/trace.hpp"

namespace armature::fibers {
namespace {

using space::ParkState;

// Shorter pauses are not worth a word to others.
constexpr std::uint64_t idle_min_ns = 10'000;

/// A rank may go if whoever notifies it finds it in the other process, and if nobody is about to
/// put it into the list of this one.
bool may_go(const ProcessRanks& ranks, RankFiber& fiber) {
  // The one that runs has still to leave its stack.
  if (&fiber == &ranks.stacks.running() || fiber.context == nullptr || fiber.waiting.looks ||
      is_tied(fiber))
    return false;
  if (net::Network* const net = net::network(); net != nullptr && !net->flush().is_over(fiber.rank))
    return false;
  std::uint32_t waits = ParkState::waits;
  return fiber.slot->asleep.compare_exchange_strong(waits, ParkState::awake,
                                                    std::memory_order_acquire) ||
         waits == ParkState::awake;
}

}  // namespace

/// Nobody asks where ranks cannot move (migration/addresses.hpp).
void ask_for_ranks(const ProcessRanks& ranks, std::uint64_t idle_since_ns) {
  space::ControlHeader& job = ranks.host.mapping.header();
  if (ranks.clock.now_ns() - idle_since_ns < idle_min_ns || !job.ranks_may_move()) return;
  std::uint32_t nobody = 0;
  // Release: whoever sees this sees as well whether this process has found other addresses.
  job.here.steal_request.compare_exchange_strong(
      nobody, static_cast<std::uint32_t>(ranks.host.number) + 1, std::memory_order_release,
      std::memory_order_relaxed);
}

void ask_no_more(const ProcessRanks& ranks) {
  std::uint32_t asked = static_cast<std::uint32_t>(ranks.host.number) + 1;
  std::atomic<std::uint32_t>& request = ranks.host.mapping.header().here.steal_request;
  if (request.load(std::memory_order_relaxed) == asked)
    request.compare_exchange_strong(asked, 0, std::memory_order_relaxed);
}

void give_rank_away(ProcessRanks& ranks) {
  const space::ControlHeader& job = ranks.host.mapping.header();
  std::atomic<std::uint32_t>& request = ranks.host.mapping.header().here.steal_request;
  std::uint32_t whom = request.load(std::memory_order_acquire);
  // The process may have asked before another one joined that differs; this one may be that.
  if (whom == 0 || static_cast<int>(whom) == ranks.host.number + 1 || whom > job.processes ||
      !job.ranks_may_move() || !ranks.queue.has_several() ||
      !takes_ranks(ranks.host.mapping, static_cast<int>(whom) - 1))
    return;
  RankFiber* const fiber = ranks.queue.take(
      [&](RankFiber& ready) { return ready.cost_ns >= cost_min_ns && may_go(ranks, ready); });
  if (fiber == nullptr) return;
  if (!request.compare_exchange_strong(whom, 0, std::memory_order_relaxed)) {
    ranks.queue.push(*fiber);  // somebody else was faster
    return;
  }
  wait::trace({.kind = wait::TraceEvent::Kind::given,
               .rank = fiber->rank,
               .other = static_cast<int>(whom) - 1,
               .begin_ns = base::now_ns(),
               .number = fiber->cost_ns});
  if (!send(ranks, *fiber, static_cast<int>(whom) - 1)) ranks.queue.push(*fiber);
}

}  // namespace armature::fibers
