#include "fibers/rank_pause.hpp"

#include <chrono>
#include <thread>

#include "base/clock.hpp"
#include "fibers/rank_scheduler.hpp"
#include "wait/elsewhere.hpp"
#include "wait/rank_context.hpp"
#include "wait/wait.hpp"

namespace armature::fibers {
namespace {

constexpr std::uint64_t second_ns = 1'000'000'000;

}  // namespace

bool has_turn() { return wait::runs_rank() && wait::this_rank("yield").scheduler != nullptr; }

[[gnu::noinline]] void sleep_here(std::uint64_t duration_ns) {
  const wait::Elsewhere others(wait::current_rank());
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

std::uint64_t time_by(clockid_t clock) {
  timespec now{};
  (void)clock_gettime(clock, &now);
  return in_ns(now);
}

std::uint64_t rest_until(std::uint64_t time_ns, clockid_t clock) {
  const std::uint64_t now_ns = time_by(clock);
  return time_ns > now_ns ? time_ns - now_ns : 0;
}

}  // namespace armature::fibers
