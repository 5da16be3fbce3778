#include "net/progress_thread.hpp"

#include <poll.h>
#include <sched.h>
#include <sys/eventfd.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <ctime>
#include <mutex>
#include <utility>

#include <fmt/format.h>

#include "base/clock.hpp"
#include "base/futex.hpp"
#include "base/no_signals.hpp"
#include "base/start_thread.hpp"
#include "wait/helped_ranks.hpp"
#include "wait/notifier.hpp"
#include "wait/oversubscription.hpp"

namespace armature::net {

using transport::Link;
using Lock = transport::Links::Lock;

namespace {

constexpr std::uint64_t park_min_ns = 50'000, park_max_ns = 2'000'000;
/// The server that polls: the time of a few cache misses, in which others get at the lock; and how
/// often it lets others run, where it shares its core.
constexpr int pauses_between_looks = 8;
constexpr std::uint32_t looks_between_yields = 16;
void relax() {
#ifdef __x86_64__
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("isb" ::: "memory");
#endif
}

/// Ranks that wait poll more often than that.
constexpr std::uint64_t between_polls_ns = 20'000;

}  // namespace

/// The choice of cores for the thread. `armature run` has bound a process of one rank, or of
/// virtual ranks, to a core, where the thread would take turns with its rank. The other cores of
/// the job are free for it; the launcher's own mask says which these are. While the rank sleeps,
/// its own core is the one that is free, and the others may be taken. The rank says so before it
/// sleeps, since the thread may sleep, too: it would wake up where it was put last, perhaps behind
/// a thread that computes.
///
/// A thread that somebody else has bound stays where it was put: the mask of a foreign launcher
/// says nothing of what the job was given.
///
/// Made before the thread, which asks for its choice: ranks may be elsewhere by the time it begins.
class ProgressThread::Cores {
 public:
  explicit Cores(const RankMap& map) {
    const space::Mapping& mapping = map.mapping();
    if (map.spaces().empty()) return;  // it has come later, and is not bound
    const bool is_virtual = mapping.header().ranks_are_virtual != 0;
    if ((map.spaces().size() != 1 && !is_virtual) || mapping.header().launcher.pid == 0) return;
    const space::RankSlot& slot = mapping.slot(map.spaces().front()->me());
    cpu_set_t bound;
    static_assert(sizeof bound == sizeof slot.bound_to.bits);
    std::memcpy(&bound, slot.bound_to.bits, sizeof bound);
    if (sched_getaffinity(0, sizeof own_, &own_) != 0 || !CPU_EQUAL(&own_, &bound)) return;
    if (sched_getaffinity(mapping.header().launcher.pid, sizeof others_, &others_) != 0) return;
    for (int processor = 0; processor < CPU_SETSIZE; ++processor)
      if (CPU_ISSET(processor, &own_)) CPU_CLR(processor, &others_);
    has_choice_ = CPU_COUNT(&others_) > 0;
  }

  /// By the thread, which is moved from now on.
  void begin() {
    thread_.store(gettid(), std::memory_order_relaxed);
    use(others_);
  }
  void use_own() { use(own_); }
  void use_others() { use(others_); }

 private:
  void use(const cpu_set_t& cores) {
    const pid_t thread = thread_.load(std::memory_order_relaxed);
    if (has_choice_ && thread != 0) (void)sched_setaffinity(thread, sizeof cores, &cores);
  }

  std::atomic<pid_t> thread_{0};
  cpu_set_t own_{}, others_{};
  bool has_choice_ = false;
};

ProgressThread::ProgressThread(transport::Links& links, const RankMap& map, const Process& process)
    : links_(links), map_(map), process_(process) {}

ProgressThread::~ProgressThread() {
  if (wake_fd_ >= 0) close(wake_fd_);
}

void ProgressThread::start(ServerWay way) {
  way_ = way;
  map_.mapping()
      .process_slot(links_.process())
      .network.server_polls.store(way == ServerWay::polls ? 1 : 0, std::memory_order_relaxed);
  wake_fd_ = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  if (way == ServerWay::polls)
    suppression_.use_flag_alone();
  else
    suppression_.open();
  cores_ = std::make_unique<Cores>(map_);
  const base::NoSignals none;
  thread_ = base::start_thread("for the network",
                               [this] { way_ == ServerWay::polls ? serve_polling() : serve(); });
}

void ProgressThread::stop() {
  if (!thread_.joinable()) return;
  ends_.store(true, std::memory_order_release);
  const std::uint64_t one = 1;
  (void)!write(wake_fd_, &one, sizeof one);
  leave_to_thread();
  thread_.join();
}

// Either this sees that the thread parks, or the thread sees, before it parks, that the count has
// grown.
void ProgressThread::leave_to_thread() {
  suppression_.resume();
  left_to_thread_.fetch_add(1, std::memory_order_seq_cst);
  if (is_parked_.load(std::memory_order_seq_cst))
    base::futex_wake(left_to_thread_, base::FutexReach::process);
}

void ProgressThread::look_now() {
  if (way_ == ServerWay::polls) return suppression_.resume();
  const std::uint64_t one = 1;
  (void)!write(wake_fd_, &one, sizeof one);
  leave_to_thread();
}

void ProgressThread::rank_parks() {
  if (way_ == ServerWay::polls) return suppression_.resume();
  if (cores_ != nullptr) cores_->use_own();
  leave_to_thread();
}

void ProgressThread::rank_resumes() {
  if (way_ == ServerWay::sleeps && cores_ != nullptr) cores_->use_others();
}

void ProgressThread::serve() {
  prctl(PR_SET_TIMERSLACK, 1000);
  cores_->begin();
  seen_ns_ = base::now_ns();
  park_ns_ = park_min_ns;
  while (!ends_.load(std::memory_order_acquire)) {
    const std::uint32_t times = left_to_thread_.load(std::memory_order_seq_cst);
    if (ranks_poll()) {
      park(times);
      if (left_to_thread_.load(std::memory_order_relaxed) == times) continue;
      (void)ranks_poll();  // what they did before does not count any more
      park_ns_ = park_min_ns;
    }
    // A rank that keeps it from listening polls, whether it has been counted or not.
    if (listen()) {
      park_ns_ = park_min_ns;
      if (!suppression_.is_on()) wait::helped_ranks().help();
    } else {
      park(times);
    }
  }
}

/// Polls, with the lock free between two looks: a rank that has something to send must not wait for
/// it in the kernel.
void ProgressThread::serve_polling() {
  cores_->begin();
  const bool shares_core =
      wait::threads_of_job() > static_cast<int>(map_.mapping().header().settings.cores);
  for (std::uint32_t round = 1; !ends_.load(std::memory_order_acquire); ++round) {
    if (suppression_.is_on() ? tend() : look_polling()) continue;
    for (int i = 0; i < pauses_between_looks; ++i) relax();
    if (shares_core && round % looks_between_yields == 0) sched_yield();
  }
}

/// Whether something has come: more may come at once. What is to be looked at again soon is none of
/// that, as it may stay so for long: the lock and the core are for others meanwhile.
bool ProgressThread::look_polling() {
  bool did = false;
  {
    const std::unique_lock locked(links_.lock(), std::try_to_lock);
    if (!locked.owns_lock()) return false;
    process_.heartbeat.beat();
    const bool is_wanted_again = process_.look();
    did = links_.progress();
    if (did) wake_sleepers();
    if (!did && !is_wanted_again && !wait::helped_ranks().are_to_be_helped_soon()) return false;
  }
  if (!suppression_.is_on()) wait::helped_ranks().help();
  return did;
}

/// A rank polls; signs of life are given all the same.
bool ProgressThread::tend() {
  if (!process_.heartbeat.is_due() && !process_.peers.ends_soon()) return false;
  const std::unique_lock locked(links_.lock(), std::try_to_lock);
  if (locked.owns_lock()) process_.heartbeat.beat();
  return false;
}

void ProgressThread::count_sleep() {
  space::NetworkCounters::add(map_.mapping().process_slot(links_.process()).network.server_sleeps);
}

/// Whether they have done so all the time since this was last asked.
bool ProgressThread::ranks_poll() {
  const std::uint64_t now_ns = base::now_ns();
  const std::uint64_t polls = polls_.load(std::memory_order_relaxed);
  const std::uint64_t since = polls - std::exchange(polls_seen_, polls);
  return since * between_polls_ns > now_ns - std::exchange(seen_ns_, now_ns);
}

/// Ends early when a rank leaves it to the thread.
void ProgressThread::park(std::uint32_t times) {
  count_sleep();
  is_parked_.store(true, std::memory_order_seq_cst);
  base::futex_wait(left_to_thread_, times, static_cast<long>(park_ns_), base::FutexReach::process);
  is_parked_.store(false, std::memory_order_relaxed);
  park_ns_ = std::min(park_ns_ * 2, park_max_ns);
  if (!process_.heartbeat.is_due() && !process_.peers.ends_soon()) return;
  const Lock locked(links_.lock());
  process_.heartbeat.beat();
}

/// Does what there is to do, unless a rank does, then sleeps until there is something. False when
/// it cannot sleep yet because of a rank that polls: who waited for its lock would take its core
/// from time to time, for nothing.
bool ProgressThread::listen() {
  bool soon = false;
  {
    const std::unique_lock locked(links_.lock(), std::try_to_lock);
    if (!locked.owns_lock()) return false;
    process_.heartbeat.beat();
    soon = process_.look() || wait::helped_ranks().are_to_be_helped_soon();
    const bool left_to_rank = suppression_.is_on();
    if (!left_to_rank && links_.progress()) return wake_sleepers(), true;
    if ((!left_to_rank && links_.owes()) || !links_.engine().arm()) return !left_to_rank;
  }
  constexpr std::uint64_t soon_ns = 100'000, second_ns = 1'000'000'000;
  const std::uint64_t interval_ns = process_.heartbeat.interval_ns();
  std::uint64_t look_again_ns = interval_ns == 0 ? second_ns : interval_ns;
  if (process_.peers.ends_soon()) look_again_ns = std::min(look_again_ns, second_ns / 2);
  if (soon) look_again_ns = soon_ns;
  const timespec until{static_cast<time_t>(look_again_ns / second_ns),
                       static_cast<long>(look_again_ns % second_ns)};
  pollfd fds[] = {
      {suppression_.engine(), POLLIN, 0}, {wake_fd_, POLLIN, 0}, {suppression_.timer(), POLLIN, 0}};
  count_sleep();
  (void)ppoll(fds, std::size(fds), &until, nullptr);
  if (std::uint64_t times = 0; (fds[1].revents & POLLIN) != 0)
    (void)!read(wake_fd_, &times, sizeof times);
  if ((fds[2].revents & POLLIN) != 0) suppression_.take_timer();
  return true;
}

/// A rank that sleeps has nothing to do: where something has come, more may, and it polls faster
/// than this thread wakes up.
void ProgressThread::wake_sleepers() {
  const space::Mapping& mapping = map_.mapping();
  if (mapping.header().ranks_are_virtual != 0) {
    space::ProcessSlot& home = mapping.process_slot(links_.process());
    if (home.asleep.load(std::memory_order_relaxed) != 0) wait::wake(home);
    return;
  }
  for (const space::AddressSpace* space : map_.spaces())
    if (space::RankSlot& slot = mapping.slot(space->me());
        slot.asleep.load(std::memory_order_relaxed) != 0)
      wait::detail::wake(slot);
}

}  // namespace armature::net
