#include "wait/wait.hpp"

#include <algorithm>
#include <ctime>
#include <optional>
#include <utility>

#include "base/clock.hpp"
#include "wait/elsewhere.hpp"
#include "wait/gone_ranks.hpp"
#include "wait/latched.hpp"
#include "wait/modules.hpp"
#include "wait/notifier.hpp"
#include "wait/ordered.hpp"
#include "wait/poller.hpp"
#include "wait/published.hpp"
#include "wait/rank_context.hpp"
#include "wait/suppress_thread.hpp"
#include "wait/thread_call.hpp"
#include "wait/yield.hpp"

namespace armature::wait {

namespace {

using space::AddressSpace;
using space::Awaiting;

void pause() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#endif
}

}  // namespace

WaitInterrupted::WaitInterrupted(const RankContext& me)
    : record_(detail::record_of(me)),
      awaiting_(record_.awaiting.load(std::memory_order_relaxed)),
      since_ns_(record_.since_ns.load(std::memory_order_relaxed)) {
  detail::publish(record_, space::interrupted(awaiting_), detail::now_ns(me));
}

WaitInterrupted::~WaitInterrupted() { detail::publish(record_, awaiting_, since_ns_); }

void let_others_have_turn() {
  RankContext* const me = current_rank();
  const Elsewhere others(me);
  if (me != nullptr && me->modules != nullptr && runs_rank() && me->modules->may_switch())
    me->modules->yield();
  if (me != nullptr && me->scheduler != nullptr) {
    if (runs_rank()) me->scheduler->yield(false);
  } else if (cores_are_shared() || core_is_wanted()) {
    leave_core();
  }
}

void let_others_run() {
  if (Poller* const net = poller()) net->try_poll();
  let_others_have_turn();
  if (Poller* const net = poller()) net->thread().polled_once();
}

void start_waiting(const space::ControlHeader& job) {
  count_sharers(job);
  prepare_notifiers(job);
}

namespace {

/// Looks at the condition, before the rank gives the core away.
class Spin {
 public:
  Spin(RankContext& me, Latched& condition_holds)
      : me_(me),
        condition_holds_(condition_holds),
        net_(poller()),
        done_(me.done.load(std::memory_order_relaxed)) {}

  /// True once the condition holds; false after a while in which nothing was got done.
  bool sees_it() {
    constexpr int looks_where_wanted = 200;
    const int looks_max = cores_are_shared() ? 0 : 4000;
    for (int looks = 0; looks < looks_max; ++looks) {
      if (condition_holds_.look()) return true;
      if (is_long(looks) || me_.has_come()) me_.deliver();
      if (made_progress())
        looks = 0;
      else if (!core_.is_wanted())
        pause_a_little(looks);
      else if (looks >= looks_where_wanted)
        return false;
    }
    return false;
  }
  /// Since this was last asked. Who gets something done is not idle, and looks again at once.
  bool made_progress() {
    const std::uint64_t now = me_.done.load(std::memory_order_relaxed);
    return std::exchange(done_, now) != now;
  }

 private:
  /// A rank that looks seldom sees late. So most looks are short: they are about calls alone, whose
  /// sender may wait.
  [[nodiscard]] bool is_long(int looks) const {
    return looks % long_look_one_in == 0 || net_ != nullptr;
  }
  /// Yields at times: a thread that has no core yet may bring what comes from another node.
  void pause_a_little(int looks) const {
    if (net_ == nullptr) return pause();
    if (looks % 16 == 15) yield();
  }

  RankContext& me_;
  Latched& condition_holds_;
  const CoreWatch core_;
  Poller* const net_;
  std::uint64_t done_;
};

/// The sleeps of one that waits: until it is notified, or ever longer where it may not be.
class Parking {
 public:
  void sleep(space::RankSlot& slot, bool is_notified, Latched& condition_holds) {
    constexpr long park_max_ns = 1'000'000, sleep_max_ns = 100'000'000;
    if (is_notified)
      return wait::sleep(slot, &Latched::look_at, &condition_holds, Notified::surely, sleep_max_ns);
    wait::sleep(slot, &Latched::look_at, &condition_holds, Notified::hardly_missed, park_ns_);
    park_ns_ = std::min(park_ns_ * 2, park_max_ns);
  }
  /// Whether it has slept to look by itself, and does so from now on between looks.
  [[nodiscard]] bool looks_by_itself() const { return park_ns_ > park_min_ns; }

 private:
  static constexpr long park_min_ns = 50'000;
  long park_ns_ = park_min_ns;
};

}  // namespace

bool hand_over(RankContext& me, const WaitFor& wait) {
  Handoff* const handoff = me.scheduler != nullptr ? me.scheduler->handoff() : nullptr;
  if (handoff == nullptr) return false;
  const Published published(me, wait);
  const Elsewhere others(&me);
  return handoff->to(wait.peer);
}

namespace detail {

/// Whether the condition takes the lock of a chunk. The network's thread waits for such a lock
/// where it adds to the chunk. It holds the links then, which whoever has the next turn here may
/// need. So the rank that has taken the lock keeps its turn.
bool takes_chunk(const WaitFor& wait) { return wait.what == Awaiting::element; }

/// Executes calls of the rank that has handed its turn over, and goes on waiting.
Turn serve(RankContext& me, const WaitFor& wait, Latched& condition_holds) {
  const bool has_more = me.deliver_from(me.scheduler->handoff()->giver());
  const bool may_go_on = takes_chunk(wait) || condition_holds.look();
  // The rank may be in another process by now.
  return me.scheduler->handoff()->back(!may_go_on && !has_more);
}

/// Waits once, until it is notified or for some time.
[[gnu::noinline]] Turn look_by_itself(RankContext& me, bool made_progress, WaitFor wait) {
  wait.is_notified = false;
  return me.scheduler->wait(made_progress, wait);
}

/// Waits while other ranks run on this thread: they do while this one's condition does not hold.
[[gnu::noinline]] void wait_scheduled(RankContext& me, WaitFor& wait, Ready ready,
                                      void* condition) {
  Latched condition_holds(ready, condition);
  Published published(me, wait);
  // me.scheduler is read at the end: the rank may be in another process by then.
  const struct Waited {
    RankContext& me;
    ~Waited() { me.scheduler->waited(); }
  } waited{me};
  std::uint64_t done = me.done.load(std::memory_order_relaxed);
  bool made_progress = true;  // to this wait
  GoneRanks gone;
  for (std::uint32_t round = 0;; ++round) {
    // The first time it has just been looked at.
    if (round > 0 && condition_holds.look()) return;
    me.deliver();
    if (condition_holds.look()) return;
    published.refresh(wait);
    const std::uint64_t now = me.done.load(std::memory_order_relaxed);
    if (std::exchange(done, now) != now) {
      made_progress = true;
      // The rank's last step may have left it more to do, for which nobody notifies it. It may be a
      // method that calls its own rank, or a wave of a fence that has one member.
      if (me.has_work()) {
        me.scheduler->yield(true);
        continue;
      }
    }
    Turn turn = me.holds_back.load(std::memory_order_relaxed)
                    ? look_by_itself(me, made_progress, wait)
                    : me.scheduler->wait(made_progress, wait);
    while (turn == Turn::serve) turn = serve(me, wait, condition_holds);
    if (turn == Turn::look_around || round % 64 == 63) gone.check(me.space, wait, condition_holds);
    made_progress = false;
  }
}

/// A thread that the program has started waits for what the network or another thread brings. The
/// rest that comes for its rank, and the rank's record, are the rank's own thread's.
[[gnu::noinline]] void wait_as_anybody(RankContext* rank, const WaitFor& wait, Ready ready,
                                       void* condition) {
  Latched condition_holds(ready, condition);
  GoneRanks gone;
  constexpr std::uint64_t interval_ns = 50'000;
  for (std::uint32_t round = 0; !condition_holds.look(); ++round) {
    // Ranks that are waited for may need what is held back. Later calls are another thread's, which
    // may hold the endpoint up.
    if (rank != nullptr && round % 64 == 0) rank->publish();
    if (Poller* const net = poller(); net != nullptr && net->try_poll()) continue;
    if (round % 64 != 63 && !core_is_wanted()) {
      yield();
      continue;
    }
    if (rank != nullptr) gone.check(rank->space, wait, condition_holds);
    // A transfer still ends: the other processes answer until this one has said good-bye.
    if (wait.what != Awaiting::completion || wait.needs_ranks) require_in_job(wait.call);
    const timespec interval{0, static_cast<long>(interval_ns)};
    nanosleep(&interval, nullptr);
  }
}

/// Says while it lives that the rank's own thread waits. With a service thread there are two such
/// threads, and neither says so.
class OwnWait {
 public:
  explicit OwnWait(RankContext& me) {
    // A method may wait inside another wait: the outer one says it.
    if (!runs_rank() || me.has_second_thread || me.is_waiting.load(std::memory_order_relaxed))
      return;
    me_ = &me;
    me.is_waiting.store(true, std::memory_order_relaxed);
  }
  OwnWait(const OwnWait&) = delete;
  OwnWait& operator=(const OwnWait&) = delete;
  ~OwnWait() {
    if (me_ != nullptr) me_->is_waiting.store(false, std::memory_order_relaxed);
  }

 private:
  RankContext* me_ = nullptr;
};

/// A thread that runs this rank only.
[[gnu::noinline]] void wait_alone(RankContext& me, WaitFor& wait, Ready ready, void* condition) {
  // A rank yields so long before it sleeps: less where others need the core.
  const std::uint64_t yield_ns = cores_are_shared() ? 100'000 : 1'000'000;
  Latched condition_holds(ready, condition);
  const AddressSpace& space = me.space;
  space::RankSlot& slot = space.slot(space.me());
  const OwnWait own_wait(me);
  Spin spin(me, condition_holds);
  std::optional<SuppressThread> suppressed(std::in_place);
  if (spin.sees_it()) return;
  Published published(me, wait);  // only now is it worth telling others
  std::uint64_t idle_since_ns = published.since_ns();
  Parking parking;
  GoneRanks gone;
  std::uint32_t deaths_seen = 0;
  for (std::uint32_t round = 0;; ++round) {
    if (condition_holds.look()) return;
    me.deliver();
    if (condition_holds.look()) return;
    published.refresh(wait);
    // Ranks that went before are looked at once, and again before each sleep.
    const std::uint32_t deaths = space.header().gone.deaths.load(std::memory_order_acquire);
    if (std::exchange(deaths_seen, deaths) != deaths) gone.check(space, wait, condition_holds);
    if (spin.made_progress()) {
      // More may come where something has: a thread that yields the core hears of it late.
      if (spin.sees_it()) return;
      idle_since_ns = base::now_ns();
      parking = {};
      continue;
    }
    if (!core_is_wanted() && !parking.looks_by_itself() &&
        (round % 16 != 15 || base::now_ns() - idle_since_ns < yield_ns)) {
      yield();
      continue;
    }
    gone.check(space, wait, condition_holds);
    require_in_job(wait.call);
    suppressed.reset();
    me.space.local().rest();
    const bool is_notified =
        wait.is_notified && notifiers_work() && !me.holds_back.load(std::memory_order_relaxed);
    parking.sleep(slot, is_notified, condition_holds);
    suppressed.emplace();
  }
}

/// Whether any thread may wait so: its condition itself takes in what it waits for. These are
/// transfers, answers, messages, notifications, locks of a rank, and its words.
bool may_be_anybodys(const RankContext* rank, const WaitFor& wait) {
  if (rank == nullptr) return poller() != nullptr;
  switch (wait.what) {
    case Awaiting::mutex:
    case Awaiting::answer:
    case Awaiting::name:
    case Awaiting::element:
    case Awaiting::notify:
    case Awaiting::message:
    case Awaiting::room:
    case Awaiting::completion:
    case Awaiting::value:
      return true;
    default:
      return false;
  }
}

void wait_for_rank(WaitFor& wait, Ready ready, void* condition) {
  const ThreadCall under_way(wait.call);
  RankContext* const current = current_rank();
  if (current != nullptr && current->scheduler != nullptr) {
    wait_scheduled(*current, wait, ready, condition);
    return current->scheduler->goes_on(takes_chunk(wait));
  }
  if (!runs_rank() && may_be_anybodys(current, wait))
    return wait_as_anybody(current, wait, ready, condition);
  wait_alone(this_rank(wait.call), wait, ready, condition);
}

/// The rank hears of who made its condition true. That may have been any rank, unless the one that
/// waits says more itself.
void hear_what_was_done(const WaitFor& wait) {
  switch (wait.what) {
    case Awaiting::answer:
    case Awaiting::fence:
    case Awaiting::request:
    case Awaiting::name:
    case Awaiting::element:
    case Awaiting::initialiser:
    case Awaiting::condition:
    case Awaiting::team:
      return hear_from(wait.what == Awaiting::answer ? wait.peer : -1);
    default:
      return;
  }
}

void wait_long(WaitFor& wait, Ready ready, void* condition) {
  const Elsewhere waits(current_rank());
  Modules* const modules = runs_rank() ? current_rank()->modules : nullptr;
  if (modules != nullptr && modules->may_switch())
    modules->wait(wait, ready, condition);
  else
    wait_for_rank(wait, ready, condition);
  hear_what_was_done(wait);
}

}  // namespace detail
}  // namespace armature::wait
