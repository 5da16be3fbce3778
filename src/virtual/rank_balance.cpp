// A process that has nothing to do is given a rank that is ready in another one: moving is free.
// The one who gives does it, between two turns: so nobody needs a lock to look at who is ready.
// That costs no more than a word in the control block, and what comes of it is that processes which
// finish a step early take work from those that would finish late, one rank at a time, and keep it:
// next time the ranks begin where they were best off last time.
#include <algorithm>
#include <cstdio>
#include <utility>

#include "base/clock.hpp"
#include "base/runtime.hpp"
#include "net/network.hpp"
#include "team/renewal.hpp"
#include "virtual/rank_scheduler.hpp"
#include "virtual/rank_services.hpp"
#include "wait/bell.hpp"
#include "wait/trace.hpp"

namespace armature::fibers {
namespace {

using space::Doze;
using wait::TraceEvent;

// Less is not worth the caches that a rank leaves behind.
constexpr std::uint64_t idle_min_ns = 10'000, cost_min_ns = 10'000;

}  // namespace

void RankScheduler::measure_ranks() {
  if (!std::exchange(measures_, true)) turn_began_ns_ = base::now_ns();
}

/// At the end of a turn.
void RankScheduler::measure(RankFiber& me) {
  now_ns_ = base::now_ns();
  const std::uint64_t began_ns = std::exchange(turn_began_ns_, now_ns_);
  const std::uint64_t took_ns = now_ns_ - began_ns;
  if (&me == &main_) return;
  if (traces_)
    wait::trace({.kind = TraceEvent::Kind::turn,
                 .rank = me.rank,
                 .what = static_cast<std::uint32_t>(me.slot->wait.waits_for()),
                 .begin_ns = began_ns,
                 .end_ns = now_ns_});
  me.slot->busy_ns.store(me.slot->busy_ns.load(std::memory_order_relaxed) + took_ns,
                         std::memory_order_relaxed);
  // Many turns are looks; what a rank costs is its long ones, the last of which tell the most.
  const bool is_look = took_ns < me.cost_ns / 32;
  me.cost_ns =
      is_look ? me.cost_ns - me.cost_ns / 8 : std::max(took_ns, (me.cost_ns + took_ns) / 2);
}

/// Nobody is ready here, for some time already. Where ranks cannot move (virtual/addresses.hpp)
/// nobody asks.
void RankScheduler::ask_for_ranks() {
  space::ControlHeader& job = mapping_.header();
  if (now_ns_ - idle_since_ns_ < idle_min_ns || !job.ranks_may_move()) return;
  if (const net::Network* const net = net::network(); net != nullptr && net->reaches_memory())
    return;
  std::uint32_t nobody = 0;
  // Release: whoever sees this sees as well whether this process has found other addresses.
  job.hungry.compare_exchange_strong(nobody, static_cast<std::uint32_t>(process_) + 1,
                                     std::memory_order_release, std::memory_order_relaxed);
}

namespace {
struct TieSaid {
  bool is = false;
};
}  // namespace

/// A StaysHere is the program's own word; of the rest the first one is told.
bool RankScheduler::is_tied(const RankFiber& fiber) {
  const space::Tie tie = fiber.tie();
  if (tie != space::Tie::none && tie != space::Tie::stays_here &&
      !std::exchange(base::state<TieSaid>().is, true))
    std::fprintf(stderr, "armature: --balance: rank %d stays in its process: it %s\n", fiber.rank,
                 space::text(tie));
  return tie != space::Tie::none;
}

/// Whoever rings for it finds it in the other process, and nobody is about to put it into the list
/// of this one.
bool RankScheduler::may_go(RankFiber& fiber) const {
  // The one that runs has still to leave its stack.
  if (&fiber == running_ || fiber.context == nullptr || fiber.looks || is_tied(fiber)) return false;
  if (net::Network* const net = net::network(); net != nullptr && !net->has_settled(fiber.rank))
    return false;
  std::uint32_t waits = Doze::waits;
  return fiber.slot->asleep.compare_exchange_strong(waits, Doze::awake,
                                                    std::memory_order_acquire) ||
         waits == Doze::awake;
}

/// Its next turn is expected to be long: it does not just look whether it may go on. Known where
/// ranks are balanced.
bool RankScheduler::is_costly(const RankFiber& fiber) const {
  return !fiber.looks && fiber.cost_ns >= cost_min_ns;
}

/// This process has something to do again.
void RankScheduler::ask_no_more() {
  std::uint32_t asked = static_cast<std::uint32_t>(process_) + 1;
  std::atomic<std::uint32_t>& hungry = mapping_.header().hungry;
  if (hungry.load(std::memory_order_relaxed) == asked)
    hungry.compare_exchange_strong(asked, 0, std::memory_order_relaxed);
}

/// The costliest that is ready, where there are several.
void RankScheduler::give_rank_away() {
  const space::ControlHeader& job = mapping_.header();
  std::atomic<std::uint32_t>& hungry = mapping_.header().hungry;
  std::uint32_t whom = hungry.load(std::memory_order_acquire);
  // It may have asked before another one joined that differs; this one may be that.
  if (whom == 0 || static_cast<int>(whom) == process_ + 1 || whom > job.processes ||
      !job.ranks_may_move() || !ready_.has_several() ||
      !takes_ranks(mapping_, static_cast<int>(whom) - 1))
    return;
  RankFiber* const fiber =
      ready_.take([&](RankFiber& ready) { return ready.cost_ns >= cost_min_ns && may_go(ready); });
  if (fiber == nullptr) return;
  if (!hungry.compare_exchange_strong(whom, 0, std::memory_order_relaxed)) {
    set_ready(*fiber);  // somebody else was faster
    return;
  }
  if (traces_)
    wait::trace({.kind = TraceEvent::Kind::given,
                 .rank = fiber->rank,
                 .other = static_cast<int>(whom) - 1,
                 .begin_ns = base::now_ns(),
                 .number = fiber->cost_ns});
  if (!send(*fiber, static_cast<int>(whom) - 1)) set_ready(*fiber);
}

// -- on the way -----------------------------------------------------------------------------------

void RankScheduler::note_leaving(RankFiber& fiber) const {
  if (!traces_) return;
  fiber.left = process_;
  fiber.left_ns = base::now_ns();
}

void RankScheduler::note_coming(RankFiber& fiber) const {
  if (!traces_ || fiber.left < 0) return;
  wait::trace({.kind = TraceEvent::Kind::moved,
               .rank = fiber.rank,
               .other = fiber.left,
               .begin_ns = fiber.left_ns,
               .end_ns = base::now_ns()});
}

/// One that is not running. False: it stays.
bool RankScheduler::send(RankFiber& fiber, int process) {
  if (!pack_services(fiber)) {
    (void)is_tied(fiber);  // which says so
    fiber.has_no_room = false;
    return false;
  }
  fiber.is_sure = false;
  forget(fiber);
  fiber.state = RankFiber::State::moves;
  note_leaving(fiber);
  if (fiber.context != nullptr) team::leave_process(*fiber.context);
  fiber.slot->process.store(process, std::memory_order_release);
  wait::wake(process, fiber.rank);
  return true;
}

void RankScheduler::send_off(RankFiber& fiber) {
  note_leaving(fiber);
  const int process = std::exchange(goes_to_, -1);
  if (fiber.context != nullptr) team::leave_process(*fiber.context);
  fiber.slot->process.store(process, std::memory_order_release);
  wait::wake(process, fiber.rank);
}

/// It has come from another process.
void RankScheduler::adopt(RankFiber& fiber) {
  if (!guarded_[static_cast<std::size_t>(fiber.rank)]) fiber.guard_stack(mapping_);
  guarded_[static_cast<std::size_t>(fiber.rank)] = true;
  fiber.slot->pid.store(pid_, std::memory_order_relaxed);
  fiber.slot->tid.store(tid_, std::memory_order_relaxed);
  fiber.slot->moves.fetch_add(1, std::memory_order_relaxed);
  if (fiber.slot->busy_ns.load(std::memory_order_relaxed) != 0) measure_ranks();
  if (fiber.context != nullptr) fiber.context->scheduler = this;
  note_coming(fiber);
  unpack_services(fiber);
  host(fiber);
}

}  // namespace armature::fibers
