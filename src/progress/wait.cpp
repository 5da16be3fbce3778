#include "progress/wait.hpp"

#include <sched.h>

#include <algorithm>
#include <ctime>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "base/clock.hpp"
#include "base/fail.hpp"
#include "progress/bell.hpp"
#include "progress/processes.hpp"
#include "progress/rank_context.hpp"
#include "progress/trace.hpp"

namespace armature::progress {

namespace {

using space::AddressSpace;
using space::Awaiting;
using space::Life;

// Of the process: how many of the job's ranks there are to a core.

int spins_before_long = 1;
bool more_ranks_than_cores = true;

void pause() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#endif
}

/// Writes into the wait record; sequence is odd while it changes.
template <class Write>
[[gnu::always_inline]] inline void change(space::WaitRecord& record, Write&& write) {
  // One writer: no need to lock the bus.
  const std::uint32_t sequence = record.sequence.load(std::memory_order_relaxed);
  record.sequence.store(sequence + 1, std::memory_order_relaxed);
  std::atomic_thread_fence(std::memory_order_release);
  write();
  record.sequence.store(sequence + 2, std::memory_order_release);
}

void publish(space::WaitRecord& record, const WaitFor& wait, std::uint64_t since_ns) {
  change(record, [&] {
    record.peer.store(wait.peer, std::memory_order_relaxed);
    record.team.store(wait.team, std::memory_order_relaxed);
    record.object.store(reinterpret_cast<std::uint64_t>(wait.object), std::memory_order_relaxed);
    record.detail.store(wait.detail, std::memory_order_relaxed);
    record.since_ns.store(since_ns, std::memory_order_relaxed);
    record.awaiting.store(wait.what, std::memory_order_relaxed);
  });
}

/// Of what is no wait nobody reads more.
void publish(space::WaitRecord& record, Awaiting what, std::uint64_t since_ns) {
  change(record, [&] {
    record.since_ns.store(since_ns, std::memory_order_relaxed);
    record.awaiting.store(what, std::memory_order_relaxed);
  });
}

space::WaitRecord& record_of(const RankContext& me) { return me.space.slot(me.space.me()).wait; }

/// For the record: where ranks take turns, reading the clock would be the larger part of a wait.
std::uint64_t now_ns(const RankContext& me) {
  return me.scheduler != nullptr ? me.scheduler->now_ns() : base::now_ns();
}

/// A wait as its record has it.
struct PublishedWait {
  explicit PublishedWait(const space::WaitRecord& record)
      : wait{.what = record.awaiting.load(std::memory_order_relaxed),
             .peer = record.peer.load(std::memory_order_relaxed),
             .team = record.team.load(std::memory_order_relaxed),
             .object = reinterpret_cast<const void*>(record.object.load(std::memory_order_relaxed)),
             .detail = record.detail.load(std::memory_order_relaxed)},
        since_ns(record.since_ns.load(std::memory_order_relaxed)) {}

  WaitFor wait;
  std::uint64_t since_ns;
};

/// Takes the record back however the wait ends. One inside a method has interrupted another, which
/// is there again then.
class Published {
 public:
  Published(const RankContext& me, const WaitFor& wait)
      : me_(me), record_(record_of(me)), since_ns_(now_ns(me)), peer_(wait.peer) {
    if (space::is_interrupted(record_.awaiting.load(std::memory_order_relaxed))) [[unlikely]]
      outer_.emplace(record_);
    publish(record_, wait, since_ns_);
  }
  Published(const Published&) = delete;
  Published& operator=(const Published&) = delete;
  ~Published() {
    if (traces()) [[unlikely]]
      trace_wait();
    if (outer_) [[unlikely]]
      publish(record_, outer_->wait, outer_->since_ns);
    else
      publish(record_, Awaiting::nothing, now_ns(me_));
  }

  void refresh(const WaitFor& wait) {
    if (wait.peer == peer_) return;
    peer_ = wait.peer;
    publish(record_, wait, since_ns_);
  }
  [[nodiscard]] std::uint64_t since_ns() const { return since_ns_; }

 private:
  /// Of ranks that have turns, these are the trace.
  [[gnu::cold]] void trace_wait() const {
    if (me_.scheduler != nullptr) return;
    trace({.kind = TraceEvent::Kind::wait,
           .rank = static_cast<int>(me_.space.me()),
           .other = peer_,
           .what = static_cast<std::uint32_t>(record_.awaiting.load(std::memory_order_relaxed)),
           .begin_ns = since_ns_,
           .end_ns = base::now_ns()});
  }

  const RankContext& me_;
  space::WaitRecord& record_;
  std::optional<PublishedWait> outer_;
  std::uint64_t since_ns_;
  int peer_;
};

/// A condition that stays true once it was found so: looking may take what was waited for (a lock),
/// so it must not be looked at again.
class Latched {
 public:
  Latched(detail::Ready ready, void* condition) : ready_(ready), condition_(condition) {}
  bool look() { return holds_ || (holds_ = ready_(condition_)); }
  /// Whether there is a reason to stay awake.
  static bool look_at(void* latched) {
    return static_cast<Latched*>(latched)->look() || this_rank("wait").has_work();
  }

 private:
  detail::Ready ready_;
  void* condition_;
  bool holds_ = false;
};

/// The first rank waited for whose life is that; -1 when there is none.
int first_awaited(const AddressSpace& space, const WaitFor& wait, Life life) {
  const auto is = [&](int rank) {
    return rank >= 0 && rank < space.ranks() && rank != space.me() &&
           space.slot(rank).life.load(std::memory_order_acquire) == life;
  };
  if (is(wait.peer)) return wait.peer;
  for (std::size_t i = 0; i < wait.members.size(); ++i)
    if (is(wait.members[i]) && (wait.awaits == nullptr || wait.awaits(wait, i)))
      return wait.members[i];
  return -1;
}

/// Ranks that are gone cannot make the condition true any more. They may have done so before they
/// went, so it is looked at once more after their state was seen.
class GoneRanks {
 public:
  void check(const AddressSpace& space, const WaitFor& wait, Latched& ready) {
    const bool goes_on = space.header().on_death == space::OnDeath::go_on;
    // In this order: who leaves because of a death has seen it, so we see it too.
    const int left = first_awaited(space, wait, Life::finished);
    const int dead = goes_on ? first_awaited(space, wait, Life::dead) : -1;
    if ((!is_certain(space, left) && dead < 0) || ready.look()) return;
    if (dead >= 0)
      base::fail(Errc::rank_lost, fmt::format("{}: rank {} has died", wait.call, dead));
    base::fail(
        Errc::misuse,
        fmt::format("{}: rank {} has left the job: it will never do what this call waits for",
                    wait.call, left));
  }

 private:
  /// Whether a rank that has left has nothing on its way to us any more. From another node its last
  /// words may come after the news that it has left, which another process of this node may have
  /// heard first: in the barrier that all leave by, as late as they like, else soon.
  bool is_certain(const AddressSpace& space, int left) {
    if (left < 0) return false;
    if (space.is_here(left)) return true;
    constexpr std::uint64_t last_words_ns = 1'000'000'000;
    const Life mine = space.slot(space.me()).life.load(std::memory_order_relaxed);
    const std::uint64_t now_ns = base::now_ns();
    if (mine != Life::running || left != left_) {
      left_ = left;
      since_ns_ = now_ns;
    }
    return mine == Life::running && now_ns - since_ns_ > last_words_ns;
  }

  int left_ = -1;
  std::uint64_t since_ns_ = 0;
};

}  // namespace

WaitInterrupted::WaitInterrupted(const RankContext& me)
    : record_(record_of(me)),
      awaiting_(record_.awaiting.load(std::memory_order_relaxed)),
      since_ns_(record_.since_ns.load(std::memory_order_relaxed)) {
  publish(record_, space::interrupted(awaiting_), now_ns(me));
}

WaitInterrupted::~WaitInterrupted() { publish(record_, awaiting_, since_ns_); }

void let_others_run() {
  RankContext* me = current_rank();
  if (Network* const net = network()) net->try_poll();
  if (me != nullptr && me->scheduler != nullptr) me->scheduler->yield(false);
}

// Who has given it to programs that compute gets it back after all their time slices, while a
// sleeper that is woken runs at once.
bool yield() {
  constexpr std::uint64_t long_ns = 500'000;
  if (network() == nullptr) return sched_yield(), false;
  const std::uint64_t begun_ns = base::now_ns();
  sched_yield();
  return base::now_ns() - begun_ns > long_ns;
}

int spins() { return spins_before_long; }
bool cores_are_shared() { return more_ranks_than_cores; }

void start_waiting(const space::ControlHeader& job) {
  const bool is_virtual = job.ranks_are_virtual != 0;
  const std::uint32_t processes = is_virtual ? hosting_processes(job) : job.processes;
  more_ranks_than_cores = (is_virtual ? processes : job.ranks) > job.cores;
  // Where several ranks share a thread, another of them may make the condition true.
  const bool threads_are_shared = job.simulated != 0 || (is_virtual && job.ranks > processes);
  // What comes over the network is seen by whoever polls it, which only the long wait does.
  const bool must_poll = threads_are_shared || job.nodes > 1;
  spins_before_long = must_poll ? 1 : (more_ranks_than_cores ? 4 : 400);
  prepare_bells(job);
}

namespace {

/// The sleeps of one that waits: until its bell rings, or ever longer where it may not.
class Naps {
 public:
  void sleep(space::RankSlot& slot, bool rings, Latched& condition_holds) {
    constexpr long nap_max_ns = 1'000'000, sleep_max_ns = 100'000'000;
    progress::sleep(slot, &Latched::look_at, &condition_holds, rings ? sleep_max_ns : nap_ns_);
    if (!rings) nap_ns_ = std::min(nap_ns_ * 2, nap_max_ns);
  }

 private:
  long nap_ns_ = 50'000;
};

}  // namespace

namespace detail {

/// Where other ranks run on this thread: they do while this one's condition does not hold.
[[gnu::noinline]] void wait_scheduled(RankContext& me, WaitFor& wait, Ready ready,
                                      void* condition) {
  Latched condition_holds(ready, condition);
  Published published(me, wait);
  // Whoever runs the rank may be another one each time.
  const struct Waited {
    RankContext& me;
    ~Waited() { me.scheduler->waited(); }
  } waited{me};
  std::uint64_t done = me.done.load(std::memory_order_relaxed);
  bool got_on = true;  // to this wait
  GoneRanks gone;
  for (std::uint32_t round = 0;; ++round) {
    // The first time it has just been looked at.
    if (round > 0 && condition_holds.look()) return;
    me.deliver();
    if (condition_holds.look()) return;
    published.refresh(wait);
    const std::uint64_t now = me.done.load(std::memory_order_relaxed);
    if (std::exchange(done, now) != now) {
      got_on = true;
      // What it has just done may have left it more to do, for which nobody rings: a method that
      // calls its own rank, a wave of a fence that has one member.
      if (me.has_work()) {
        me.scheduler->yield(true);
        continue;
      }
    }
    if (me.scheduler->wait(got_on, wait.rings) || round % 64 == 63)
      gone.check(me.space, wait, condition_holds);
    got_on = false;
  }
}

/// Any thread may make transfers, and those to other nodes may wait: for what the network brings.
[[gnu::noinline]] void wait_as_anybody(Ready ready, void* condition) {
  Latched condition_holds(ready, condition);
  constexpr std::uint64_t nap_ns = 50'000;
  for (std::uint32_t round = 0; !condition_holds.look(); ++round) {
    if (Network* const net = network(); net != nullptr && net->try_poll()) continue;
    if (round % 64 != 63) {
      sched_yield();
      continue;
    }
    const timespec nap{0, static_cast<long>(nap_ns)};
    nanosleep(&nap, nullptr);
  }
}

/// A thread that runs this rank only.
[[gnu::noinline]] void wait_alone(RankContext& me, WaitFor& wait, Ready ready, void* condition) {
  // So long it yields before it sleeps: less where others need the core.
  const std::uint64_t yield_ns = more_ranks_than_cores ? 100'000 : 1'000'000;
  Latched condition_holds(ready, condition);
  const AddressSpace& space = me.space;
  space::RankSlot& slot = space.slot(space.me());
  const int pauses = more_ranks_than_cores ? 0 : 2000;
  // Whoever gets something done meanwhile is not idle, and looks again at once.
  auto got_on = [&me, done = me.done.load(std::memory_order_relaxed)]() mutable {
    const std::uint64_t now = me.done.load(std::memory_order_relaxed);
    return std::exchange(done, now) != now;
  };
  bool core_is_wanted = false;
  // What comes from another node may be brought by a thread that has no core yet.
  const auto give_way = [&](int i) {
    return network() == nullptr ? pause(), false : i % 16 == 15 && (core_is_wanted = yield());
  };
  // True once the condition holds; false after a while in which nothing was got done.
  const auto spin = [&] {
    for (int i = 0; i < pauses; ++i) {
      if (condition_holds.look()) return true;
      me.deliver();
      if (got_on())
        i = 0;
      else if (give_way(i))
        return false;
    }
    return false;
  };
  std::optional<Quiet> quiet(std::in_place);
  if (spin()) return;
  Published published(me, wait);  // only now is it worth telling others
  std::uint64_t idle_since_ns = published.since_ns();
  Naps naps;
  GoneRanks gone;
  for (std::uint32_t round = 0;; ++round) {
    if (condition_holds.look()) return;
    me.deliver();
    if (condition_holds.look()) return;
    published.refresh(wait);
    if (space.header().deaths.load(std::memory_order_acquire) != 0)
      gone.check(space, wait, condition_holds);
    if (got_on()) {
      // Where something has come, more may: who yields the core hears of it late.
      if (spin()) return;
      idle_since_ns = base::now_ns();
      naps = {};
      continue;
    }
    if (!std::exchange(core_is_wanted, false) &&
        (round % 16 != 15 || base::now_ns() - idle_since_ns < yield_ns)) {
      core_is_wanted = yield();
      continue;
    }
    gone.check(space, wait, condition_holds);
    quiet.reset();
    naps.sleep(slot, wait.rings && bells_work(), condition_holds);
    quiet.emplace();
  }
}

void wait_long(WaitFor& wait, Ready ready, void* condition) {
  RankContext* const current = current_rank();
  if (current != nullptr && current->scheduler != nullptr) {
    wait_scheduled(*current, wait, ready, condition);
    return current->scheduler->goes_on();
  }
  if (current == nullptr && network() != nullptr) return wait_as_anybody(ready, condition);
  wait_alone(this_rank(wait.call), wait, ready, condition);
}

}  // namespace detail
}  // namespace armature::progress
