#include "wait/yield.hpp"

#include <fcntl.h>
#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstdio>

#include "base/clock.hpp"
#include "base/file_descriptor.hpp"
#include "base/interleaving.hpp"
#include "base/runtime.hpp"
#include "wait/oversubscription.hpp"

namespace armature::wait {

namespace {

constexpr std::uint64_t long_ns = 500'000;
// Most of what the kernel gives at a time to who never waits.
constexpr std::uint64_t long_ns_shared = 2'500'000;
constexpr std::uint64_t believed_min_ns = 5'000'000, believed_max_ns = 160'000'000;

/// Relaxed: they say nothing of any other memory, and of two threads that find it out at once
/// either may be right.
struct alignas(64) Belief {
  static constexpr std::size_t runtime_place = 9;  // a rank that spins asks each time

  std::atomic<std::uint64_t> lasts_ns{believed_min_ns};
  std::atomic<std::uint64_t> wanted_until_ns{0};
};

/// How many threads of this machine run or would like to; 0 where the kernel does not say.
int runnable() {
  const base::FileDescriptor file(open("/proc/loadavg", O_RDONLY | O_CLOEXEC));
  char text[128] = {};
  int threads = 0;
  if (file.get() < 0 || read(file.get(), text, sizeof text - 1) <= 0 ||
      std::sscanf(text, "%*s %*s %*s %d/", &threads) != 1)
    return 0;
  return threads;
}

}  // namespace

bool were_strangers(const Away& away) {
  if (!away.cores_are_shared) return away.ns > long_ns;
  return away.ns > long_ns_shared && (away.are_known || runnable() > away.threads_of_job);
}

void leave_core() {
  if (base::simulated.others_act != nullptr) [[unlikely]]
    return base::simulated.others_act();
  sched_yield();
}

void yield() {
  // A simulation's clock knows nothing of who wants the core.
  if (base::simulated.others_act != nullptr) [[unlikely]]
    return leave_core();
  const std::uint64_t begun_ns = base::now_ns();
  leave_core();
  const std::uint64_t now_ns = base::now_ns();
  if (now_ns - begun_ns <= long_ns) return;
  auto& belief = base::state<Belief>();
  const std::uint64_t before_ns = belief.lasts_ns.load(std::memory_order_relaxed);
  const bool again = now_ns - belief.wanted_until_ns.load(std::memory_order_relaxed) < before_ns;
  if (!were_strangers({.ns = now_ns - begun_ns,
                       .cores_are_shared = cores_are_shared(),
                       .threads_of_job = threads_of_job(),
                       .are_known = again}))
    return;
  const std::uint64_t next_ns = again ? std::min(2 * before_ns, believed_max_ns) : believed_min_ns;
  belief.lasts_ns.store(next_ns, std::memory_order_relaxed);
  belief.wanted_until_ns.store(now_ns + next_ns, std::memory_order_relaxed);
}

CoreWatch::CoreWatch() : wanted_until_ns_(base::state<Belief>().wanted_until_ns) {}

bool core_is_wanted() {
  if (base::simulated.now_ns != nullptr) return false;
  const std::uint64_t until_ns =
      base::state<Belief>().wanted_until_ns.load(std::memory_order_relaxed);
  return until_ns != 0 && base::now_ns() < until_ns;
}

}  // namespace armature::wait
