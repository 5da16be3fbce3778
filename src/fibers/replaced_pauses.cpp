// A program that looks at memory until another rank has written there gives its core away between
// two looks, or sleeps. The other rank may be one of the same process, which runs in turn with it.
#include "fibers/replaced_pauses.hpp"

#include <poll.h>
#include <sched.h>
#include <sys/select.h>
#include <threads.h>
#include <time.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstdint>
#include <thread>

#include "base/clock.hpp"
#include "fibers/rank_scheduler.hpp"
#include "wait/rank_context.hpp"
#include "wait/wait.hpp"

namespace armature::fibers {
namespace {

constexpr std::uint64_t second_ns = 1'000'000'000;

/// Threads that a rank has started have no turn to give away.
bool has_turn() { return wait::runs_rank() && wait::this_rank("yield").scheduler != nullptr; }

/// Sleeps. Where the rank goes on after a checkpoint the clock may stand elsewhere: it sleeps no
/// longer than it wanted to from then on. It may be in another process then: never inlined.
[[gnu::noinline]] void sleep_here(std::uint64_t duration_ns) {
  const bool is_simulated = base::simulated.others_act != nullptr;  // by a clock of its own
  if (duration_ns == 0 || is_simulated) wait::this_rank("yield").scheduler->yield(false);
  if (is_simulated) std::this_thread::sleep_for(std::chrono::nanoseconds(duration_ns));
  if (duration_ns == 0 || is_simulated) return;
  std::uint64_t now_ns = base::now_ns();
  const std::uint64_t until_ns = now_ns + duration_ns;
  while (now_ns < until_ns && until_ns - now_ns <= duration_ns) {
    RankScheduler::here().sleep_until(until_ns);
    now_ns = base::now_ns();
  }
}

/// More than 100 years are one too many for the clock.
std::uint64_t in_ns(std::uint64_t seconds, std::uint64_t ns) {
  constexpr std::uint64_t most = 3'200'000'000;
  return seconds < most ? seconds * second_ns + ns : most * second_ns;
}

bool is_time(const timespec& time) {
  return time.tv_sec >= 0 && time.tv_nsec >= 0 &&
         static_cast<std::uint64_t>(time.tv_nsec) < second_ns;
}
std::uint64_t in_ns(const timespec& time) {
  return in_ns(static_cast<std::uint64_t>(time.tv_sec), static_cast<std::uint64_t>(time.tv_nsec));
}

int give_core_away() {
  if (!has_turn()) return sched_yield();
  sleep_here(0);
  return 0;
}

unsigned sleep_seconds(unsigned seconds) {
  if (!has_turn()) return sleep(seconds);
  sleep_here(in_ns(seconds, 0));
  return 0;
}

int sleep_microseconds(useconds_t microseconds) {
  if (!has_turn()) return usleep(microseconds);
  sleep_here(std::uint64_t{microseconds} * 1000);
  return 0;
}

int sleep_for(const timespec* wanted, timespec* left) {
  if (!has_turn() || wanted == nullptr || !is_time(*wanted)) return nanosleep(wanted, left);
  sleep_here(in_ns(*wanted));
  return 0;
}

int sleep_by_clock(clockid_t clock, int flags, const timespec* wanted, timespec* left) {
  timespec now{};
  const bool is_known = clock == CLOCK_REALTIME || clock == CLOCK_MONOTONIC;
  if (!has_turn() || !is_known || wanted == nullptr || !is_time(*wanted) ||
      clock_gettime(clock, &now) != 0)
    return clock_nanosleep(clock, flags, wanted, left);
  if ((flags & TIMER_ABSTIME) == 0) return sleep_here(in_ns(*wanted)), 0;
  const std::uint64_t until_ns = in_ns(*wanted), now_ns = in_ns(now);
  return sleep_here(until_ns > now_ns ? until_ns - now_ns : 0), 0;
}

int sleep_as_thread(const timespec* wanted, timespec* left) {
  if (!has_turn() || wanted == nullptr || !is_time(*wanted)) return thrd_sleep(wanted, left);
  sleep_here(in_ns(*wanted));
  return 0;
}

int wait_for_files(int count, fd_set* readable, fd_set* writable, fd_set* special, timeval* time) {
  const bool waits_for_none =
      count == 0 && time != nullptr && time->tv_sec >= 0 && time->tv_usec >= 0;
  if (!has_turn() || !waits_for_none) return select(count, readable, writable, special, time);
  sleep_here(in_ns(static_cast<std::uint64_t>(time->tv_sec),
                   static_cast<std::uint64_t>(time->tv_usec) * 1000));
  *time = {};
  return 0;
}

int poll_files(pollfd* files, nfds_t count, int timeout_ms) {
  if (!has_turn() || count != 0 || timeout_ms < 0) return poll(files, count, timeout_ms);
  sleep_here(static_cast<std::uint64_t>(timeout_ms) * 1'000'000);
  return 0;
}

}  // namespace

void replace_pauses(image::Plan& plan) {
  plan.replace("sched_yield", give_core_away);
  plan.replace(
      "thrd_yield", +[] { (void)give_core_away(); });
  plan.replace("sleep", sleep_seconds);
  plan.replace("usleep", sleep_microseconds);
  plan.replace("nanosleep", sleep_for);
  plan.replace("clock_nanosleep", sleep_by_clock);
  plan.replace("thrd_sleep", sleep_as_thread);
  plan.replace("select", wait_for_files);
  plan.replace("poll", poll_files);
}

}  // namespace armature::fibers
