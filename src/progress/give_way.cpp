#include "progress/give_way.hpp"

#include <sched.h>

#include <algorithm>
#include <atomic>
#include <cstdint>

#include "base/clock.hpp"
#include "progress/rank_context.hpp"
#include "progress/wait.hpp"

namespace armature::progress {

namespace {

constexpr std::uint64_t long_ns = 500'000;
constexpr std::uint64_t believed_min_ns = 5'000'000, believed_max_ns = 160'000'000;

// Of the process. Relaxed: they say nothing of any other memory, and of two threads that find it
// out at once either may be right.
std::atomic<std::uint64_t> believed_ns{believed_min_ns};
std::atomic<std::uint64_t> wanted_until_ns{0};

/// Whether other ranks of the job had the core, which will wait in their turn.
bool ranks_ran(std::uint64_t begun_ns, std::uint64_t ended_ns) {
  const RankContext* const me = current_rank();
  if (me == nullptr || !cores_are_shared()) return false;
  const space::AddressSpace& space = me->space;
  std::uint64_t sum_ns = 0;
  for (int rank = 0; rank < space.ranks(); ++rank)
    if (rank != space.me() && space.is_here(rank))
      sum_ns += space.slot(rank).wait.ran_ns(begun_ns, ended_ns);
  return sum_ns >= (ended_ns - begun_ns) / 2;
}

}  // namespace

bool yield() {
  const std::uint64_t begun_ns = base::now_ns();
  sched_yield();
  const std::uint64_t now_ns = base::now_ns();
  if (now_ns - begun_ns <= long_ns || ranks_ran(begun_ns, now_ns)) return false;
  const std::uint64_t until_ns = wanted_until_ns.load(std::memory_order_relaxed);
  const std::uint64_t before_ns = believed_ns.load(std::memory_order_relaxed);
  const bool again = now_ns - until_ns < before_ns;
  const std::uint64_t next_ns = again ? std::min(2 * before_ns, believed_max_ns) : believed_min_ns;
  believed_ns.store(next_ns, std::memory_order_relaxed);
  wanted_until_ns.store(now_ns + next_ns, std::memory_order_relaxed);
  return true;
}

bool core_is_wanted() {
  const std::uint64_t until_ns = wanted_until_ns.load(std::memory_order_relaxed);
  return until_ns != 0 && base::now_ns() < until_ns;
}

}  // namespace armature::progress
