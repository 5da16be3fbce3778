#include "engines/sim/turns.hpp"

#include <sched.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>

#include <fmt/format.h>

#include "base/clock.hpp"
#include "base/futex.hpp"
#include "base/runtime.hpp"

namespace armature::transport::sim {

namespace {

// So many turns of each in which nobody made progress, with nothing under way: nobody ever will.
constexpr std::uint64_t idle_turns_of_each = 40'000;

struct Joined {
  Turns* turns = nullptr;  // for ever: the clock is asked until the process ends
};

/// Turns are short. Beside programs that compute, whoever is woken has the core at once that way
/// (Linux 6.12; where it is older, or does not let us, it takes longer).
void ask_for_short_slices() {
  struct {
    std::uint32_t size, policy;
    std::uint64_t flags;
    std::int32_t nice;
    std::uint32_t priority;
    std::uint64_t slice_ns, deadline_ns, period_ns;
  } wanted{.size = sizeof wanted,
           .policy = SCHED_OTHER,
           .nice = getpriority(PRIO_PROCESS, 0),  // as it is
           .slice_ns = 100'000};
  (void)syscall(SYS_sched_setattr, 0, &wanted, 0);
}

}  // namespace

void Turns::join(bootstrap::Exchange& exchange, const Options& options) {
  base::state<Joined>().turns = new Turns(exchange, options);
  base::simulated.now_ns = [] { return of_process()->now_ns(); };
  base::simulated.die = [] { of_process()->die(); };
}

Turns* Turns::of_process() { return base::state<Joined>().turns; }

Turns::Turns(bootstrap::Exchange& exchange, const Options& options)
    : memory_(exchange, options.seed, options.fates.joins),
      fates_(memory_, options.fates),
      options_(options) {
  // The first process has planned before it comes to begin(), and nobody acts before that.
  if (process() == 0) fates_.plan();
  fates_.begin();
}

void Turns::await_turn() {
  constexpr long look_again_ns = 1'000'000'000;
  std::atomic<std::uint32_t>& mine = memory_.me().has_turn;
  while (mine.load(std::memory_order_acquire) == 0) base::futex_wait(mine, 0, look_again_ns);
  mine.store(0, std::memory_order_relaxed);
  fates_.await_seen();
  if (memory_.shared().is_stalled) stalled();
}

void Turns::begin() {
  ask_for_short_slices();
  begun_ = true;
  const auto all = static_cast<std::uint32_t>(processes());
  const bool some_come_later = memory_.processes_at_first() < processes();
  if (some_come_later && process() < memory_.processes_at_first()) options_.when_ready();
  // Both: whoever is first sees what all have done until now.
  if (memory_.shared().arrived.fetch_add(1, std::memory_order_acq_rel) + 1 == all)
    memory_.give_turn(memory_.choose());
  await_turn();
}

void Turns::pass(bool made_progress) {
  if (!begun_) return;
  fates_.die_if_due();
  TurnMemory::Shared& shared = memory_.shared();
  shared.idle_turns = made_progress || memory_.some_are_under_way() ? 0 : shared.idle_turns + 1;
  if (shared.idle_turns > idle_turns_of_each * static_cast<std::uint64_t>(processes())) stalled();
  const std::uint64_t turn_ns_max = shared.random.chance(0.02) ? 40'000 : 500;
  shared.now_ns += 20 + shared.random.below(turn_ns_max);
  if (const int next = memory_.choose(); next != process()) {
    memory_.give_turn(next);
    await_turn();
  }
  fates_.tell();
}

void Turns::die() {
  if (begun_ && fates_.may_die()) fates_.die();
  end();
}

void Turns::end() {
  if (!begun_) return;
  begun_ = false;
  memory_.me().ended = true;
  if (memory_.others_are_left()) memory_.give_turn(memory_.choose());
}

/// Each adds what its ranks wait for; the last one ends the job.
void Turns::stalled() {
  TurnMemory::Shared& shared = memory_.shared();
  shared.is_stalled = true;
  memory_.me().has_said = true;
  const std::string text = options_.waits();
  const std::size_t bytes = std::min(text.size(), sizeof shared.text - 1 - shared.text_bytes);
  std::memcpy(shared.text + shared.text_bytes, text.data(), bytes);
  shared.text_bytes += bytes;
  for (int p = 0; p < processes(); ++p)
    if (!memory_.actor(p).ended && !memory_.actor(p).has_said) {
      memory_.give_turn(p);
      for (;;) pause();
    }
  options_.give_up(1, fmt::format("simulation with seed {}: no rank can go on{}", seed(),
                                  std::string(shared.text, shared.text_bytes))
                          .c_str());
  std::abort();
}

}  // namespace armature::transport::sim
