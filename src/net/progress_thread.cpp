#include "net/progress_thread.hpp"

#include <poll.h>
#include <sched.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/prctl.h>
#include <sys/timerfd.h>
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
#include "wait/bell.hpp"

namespace armature::net {

using transport::Link;
using Lock = transport::Links::Lock;

namespace {

constexpr std::uint64_t nap_min_ns = 50'000, nap_max_ns = 2'000'000;
/// Ranks that wait poll more often than that.
constexpr std::uint64_t between_polls_ns = 20'000;
/// So long after a rank has stopped to poll somebody does what it has left.
constexpr long later_ns = 500'000;

}  // namespace

/// Where the thread runs. `armature run` has bound a process of one rank, or of virtual ranks, to a
/// core, where the thread would take turns with its rank: the other cores of the job are free for
/// it, of which the launcher's own mask tells. While the rank sleeps, its core is the one that is
/// free, and the others may be taken. The rank says so as it goes, since the thread may sleep, too:
/// where it was put last it would wake up, perhaps behind somebody who computes.
/// Who has been bound by somebody else stays where he was put: the mask of a foreign launcher
/// says nothing of what the job was given.
/// Made before the thread, which asks for its choice: ranks may be elsewhere by the time it begins.
class ProgressThread::Cores {
 public:
  explicit Cores(const RankMap& map) {
    const space::Mapping& mapping = map.mapping();
    const bool is_virtual = mapping.header().ranks_are_virtual != 0;
    if ((map.spaces().size() != 1 && !is_virtual) || mapping.header().launcher_pid == 0) return;
    const space::RankSlot& slot = mapping.slot(map.spaces().front()->me());
    cpu_set_t bound;
    static_assert(sizeof bound == sizeof slot.bound_to.bits);
    std::memcpy(&bound, slot.bound_to.bits, sizeof bound);
    if (sched_getaffinity(0, sizeof own_, &own_) != 0 || !CPU_EQUAL(&own_, &bound)) return;
    if (sched_getaffinity(mapping.header().launcher_pid, sizeof others_, &others_) != 0) return;
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

ProgressThread::ProgressThread(transport::Links& links, const RankMap& map, Process& process)
    : links_(links), map_(map), process_(process) {}

ProgressThread::~ProgressThread() {
  for (const int descriptor : {wake_fd_, ears_, later_})
    if (descriptor >= 0) close(descriptor);
}

void ProgressThread::start(std::uint64_t heartbeat_ns) {
  heartbeat_ns_ = heartbeat_ns;
  beat_ns_ = base::now_ns();
  wake_fd_ = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  make_ears();
  cores_ = std::make_unique<Cores>(map_);
  const base::NoSignals none;
  thread_ = base::start_thread("for the network", [this] { serve(); });
}

void ProgressThread::stop() {
  if (!thread_.joinable()) return;
  ends_.store(true, std::memory_order_release);
  const std::uint64_t one = 1;
  (void)!write(wake_fd_, &one, sizeof one);
  look_away();
  thread_.join();
}

// Either this sees that the thread naps, or the thread sees, before it naps, that the count has
// grown.
void ProgressThread::look_away() {
  hear_again();
  looked_away_.fetch_add(1, std::memory_order_seq_cst);
  if (naps_.load(std::memory_order_seq_cst))
    base::futex_wake(looked_away_, base::FutexReach::process);
}

void ProgressThread::wake() {
  const std::uint64_t one = 1;
  (void)!write(wake_fd_, &one, sizeof one);
  look_away();
}

void ProgressThread::fall_asleep() {
  if (cores_ != nullptr) cores_->use_own();
  look_away();
}

void ProgressThread::wake_up() {
  if (cores_ != nullptr) cores_->use_others();
}

/// Without them (the kernel allows few descriptors within descriptors) the thread hears all.
void ProgressThread::make_ears() {
  if (make_descriptors_of_ears() || ears_ < 0) return;
  close(std::exchange(ears_, -1));
}

bool ProgressThread::make_descriptors_of_ears() {
  const int engine = links_.engine().descriptor();
  ears_ = epoll_create1(EPOLL_CLOEXEC);
  later_ = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
  epoll_event readable{.events = EPOLLIN, .data = {}};
  return ears_ >= 0 && later_ >= 0 && engine >= 0 &&
         epoll_ctl(ears_, EPOLL_CTL_ADD, engine, &readable) == 0;
}

bool ProgressThread::stop_ears() {
  if (ears_stopped_.load(std::memory_order_relaxed)) return true;
  if (ears_ < 0) return false;
  const std::lock_guard locked(ears_lock_);
  epoll_event nothing{};
  if (epoll_ctl(ears_, EPOLL_CTL_MOD, links_.engine().descriptor(), &nothing) != 0) return false;
  ears_stopped_.store(true, std::memory_order_relaxed);
  return true;
}

/// The thread wakes up if there is something already.
void ProgressThread::open_ears() {
  const std::lock_guard locked(ears_lock_);
  epoll_event readable{.events = EPOLLIN, .data = {}};
  epoll_ctl(ears_, EPOLL_CTL_MOD, links_.engine().descriptor(), &readable);
  ears_stopped_.store(false, std::memory_order_relaxed);
}

bool ProgressThread::leaves_something() const {
  return links_.owes() || links_.has_streams() || more_.load(std::memory_order_relaxed);
}

void ProgressThread::do_rest_later() {
  if (later_ < 0) return;
  // The thread takes the mark back before it looks: whoever finds it is right to go.
  if (is_set_.exchange(true, std::memory_order_acq_rel)) return;
  const itimerspec later{{}, {0, later_ns}};
  timerfd_settime(later_, 0, &later, nullptr);
}

void ProgressThread::serve() {
  prctl(PR_SET_TIMERSLACK, 1000);
  cores_->begin();
  seen_ns_ = base::now_ns();
  nap_ns_ = nap_min_ns;
  while (!ends_.load(std::memory_order_acquire)) {
    const std::uint32_t times = looked_away_.load(std::memory_order_seq_cst);
    if (ranks_poll()) {
      nap(times);
      if (looked_away_.load(std::memory_order_relaxed) == times) continue;
      (void)ranks_poll();  // what they did before does not count any more
      nap_ns_ = nap_min_ns;
    }
    // A rank that keeps it from listening polls, whether it has been counted or not.
    if (listen())
      nap_ns_ = nap_min_ns;
    else
      nap(times);
  }
}

/// Whether they have done so all the time since this was last asked.
bool ProgressThread::ranks_poll() {
  const std::uint64_t now_ns = base::now_ns();
  const std::uint64_t polls = polls_.load(std::memory_order_relaxed);
  const std::uint64_t since = polls - std::exchange(polls_seen_, polls);
  return since * between_polls_ns > now_ns - std::exchange(seen_ns_, now_ns);
}

/// Ends early when a rank looks away.
void ProgressThread::nap(std::uint32_t times) {
  naps_.store(true, std::memory_order_seq_cst);
  base::futex_wait(looked_away_, times, static_cast<long>(nap_ns_), base::FutexReach::process);
  naps_.store(false, std::memory_order_relaxed);
  nap_ns_ = std::min(nap_ns_ * 2, nap_max_ns);
  const bool is_due = heartbeat_ns_ != 0 && base::now_ns() - beat_ns_ >= heartbeat_ns_ / 4;
  if (!is_due && !process_.ends_soon()) return;
  const Lock locked(links_.lock());
  beat();
}

/// Does what there is to do, unless a rank does, then sleeps until there is something. False when
/// it cannot sleep yet because of a rank that polls: who waited for its lock would take its core
/// from time to time, for nothing.
bool ProgressThread::listen() {
  bool soon = false;
  {
    const std::unique_lock locked(links_.lock(), std::try_to_lock);
    if (!locked.owns_lock()) return false;
    beat();
    soon = process_.look();
    const bool left_to_rank = ears_stopped_.load(std::memory_order_relaxed);
    if (!left_to_rank && links_.progress()) return wake_sleepers(), true;
    if ((!left_to_rank && links_.owes()) || !links_.engine().arm()) return !left_to_rank;
  }
  constexpr std::uint64_t soon_ns = 100'000, second_ns = 1'000'000'000;
  std::uint64_t look_again_ns = heartbeat_ns_ == 0 ? second_ns : heartbeat_ns_ / 4;
  if (process_.ends_soon()) look_again_ns = std::min(look_again_ns, second_ns / 2);
  if (soon) look_again_ns = soon_ns;
  const timespec until{static_cast<time_t>(look_again_ns / second_ns),
                       static_cast<long>(look_again_ns % second_ns)};
  const int heard = ears_ >= 0 ? ears_ : links_.engine().descriptor();
  pollfd fds[] = {{heard, POLLIN, 0}, {wake_fd_, POLLIN, 0}, {later_, POLLIN, 0}};
  (void)ppoll(fds, std::size(fds), &until, nullptr);
  if (std::uint64_t times = 0; (fds[1].revents & POLLIN) != 0)
    (void)!read(wake_fd_, &times, sizeof times);
  if (std::uint64_t times = 0;
      (fds[2].revents & POLLIN) != 0 && read(later_, &times, sizeof times) > 0)
    (void)is_set_.exchange(false, std::memory_order_acq_rel);
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

/// Whoever was given up finds the others silent at the latest when the heartbeat is over once more.
bool ProgressThread::was_stopped() const {
  if (heartbeat_ns_ == 0) return false;
  const std::uint64_t now_ns = base::now_ns();
  return now_ns - beat_ns_ > heartbeat_ns_ ||
         (stopped_ns_ != 0 && now_ns - stopped_ns_ < 2 * heartbeat_ns_);
}

/// A few times in the time-out: says that we are there, and gives up who has not been heard of. Not
/// when we were stopped ourselves meanwhile: then they may have spoken. Under the links' lock.
void ProgressThread::beat() {
  const std::uint64_t now_ns = base::now_ns();
  const std::uint64_t interval_ns = heartbeat_ns_ / 4;
  process_.end_after_loss();
  if (heartbeat_ns_ == 0 || now_ns - beat_ns_ < interval_ns) return;
  if (now_ns - beat_ns_ > heartbeat_ns_) stopped_ns_ = now_ns;
  const bool stopped = now_ns - std::exchange(beat_ns_, now_ns) > 2 * interval_ns;
  const std::vector<int>& others = process_.others();
  pulses_.resize(others.size());
  for (std::size_t i = 0; i < others.size(); ++i) {
    Link& link = links_.to(others[i]);
    Pulse& pulse = pulses_[i];
    if (stopped || pulse.since_ns == 0 || pulse.received != link.received())
      pulse = {link.received(), now_ns};
    if (link.is_lost() || link.said_bye()) continue;
    if (now_ns - pulse.since_ns > heartbeat_ns_) {
      process_.end_if_given_up();
      map_.mapping().header().halt.has_given_up.store(1, std::memory_order_relaxed);
      links_.give_up(others[i], "it has been silent for longer than the heartbeat allows");
      continue;
    }
    (void)link.append(transport::Kind::none, -1, -1, 0, Link::Ack::none);
    link.flush();
  }
}

}  // namespace armature::net
