// A program that looks at memory until another rank has written there gives its core away between
// two looks, or sleeps. The other rank may be one of the same process, which runs in turn with it.
#include "fibers/replaced_pauses.hpp"

#include <poll.h>
#include <sched.h>
#include <sys/select.h>
#include <threads.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdint>
#include <cstdlib>

#include "fibers/rank_pause.hpp"

namespace armature::fibers {
namespace {

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

/// Whether there are sleeps by that clock. A time that has gone by ends them at once.
bool can_sleep_by(clockid_t clock) {
  const timespec begin{};
  return clock_nanosleep(clock, TIMER_ABSTIME, &begin, nullptr) == 0;
}

/// Some clocks count what the process computes: the one may be slower than the other.
int sleep_by_clock(clockid_t clock, int flags, const timespec* wanted, timespec* left) {
  if (!has_turn() || wanted == nullptr || !is_time(*wanted) || !can_sleep_by(clock))
    return clock_nanosleep(clock, flags, wanted, left);
  const bool is_usual = clock == CLOCK_MONOTONIC || clock == CLOCK_REALTIME;
  const bool is_absolute = (flags & TIMER_ABSTIME) != 0;
  if (is_usual && !is_absolute) return sleep_here(in_ns(*wanted)), 0;
  const std::uint64_t now_ns = time_by(clock);
  const std::uint64_t until_ns = is_absolute ? in_ns(*wanted) : now_ns + in_ns(*wanted);
  if (until_ns <= now_ns) sleep_here(0);
  while (const std::uint64_t rest_ns = rest_until(until_ns, clock))
    sleep_here(is_usual ? rest_ns : std::min(rest_ns, look_ns));
  return 0;
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
/// Programs that are compiled with -D_FORTIFY_SOURCE call this.
int poll_files_checked(pollfd* files, nfds_t count, int timeout_ms, std::size_t bytes) {
  if (count > bytes / sizeof *files) std::abort();
  return poll_files(files, count, timeout_ms);
}

/// Sleeps. Signals that `mask` lets in are those of the process: -1 where one has come.
int sleep_with_mask(const timespec& wanted, const sigset_t* mask) {
  if (mask == nullptr) return sleep_here(in_ns(wanted)), 0;
  int found = 0;
  const auto look = [&found, signals = *mask] {
    const timespec none{};
    found = ppoll(nullptr, 0, &none, &signals);
    return found != 0;
  };
  const std::uint64_t until_ns = time_by(CLOCK_MONOTONIC) + in_ns(wanted);
  (void)look_until(until_ns, CLOCK_MONOTONIC, look);
  return found;
}

int wait_for_files_with_mask(int count, fd_set* readable, fd_set* writable, fd_set* special,
                             const timespec* time, const sigset_t* mask) {
  if (!has_turn() || count != 0 || time == nullptr || !is_time(*time))
    return pselect(count, readable, writable, special, time, mask);
  return sleep_with_mask(*time, mask);
}

int poll_files_with_mask(pollfd* files, nfds_t count, const timespec* time, const sigset_t* mask) {
  if (!has_turn() || count != 0 || time == nullptr || !is_time(*time))
    return ppoll(files, count, time, mask);
  return sleep_with_mask(*time, mask);
}
int poll_files_with_mask_checked(pollfd* files, nfds_t count, const timespec* time,
                                 const sigset_t* mask, std::size_t bytes) {
  if (count > bytes / sizeof *files) std::abort();
  return poll_files_with_mask(files, count, time, mask);
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
  plan.replace("__poll_chk", poll_files_checked);
  plan.replace("pselect", wait_for_files_with_mask);
  plan.replace("ppoll", poll_files_with_mask);
  plan.replace("__ppoll_chk", poll_files_with_mask_checked);
}

}  // namespace armature::fibers
