#include "engines/sim/fates.hpp"

#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <csignal>
#include <ctime>
#include <span>
#include <thread>

#include "base/futex.hpp"
#include "base/no_signals.hpp"

namespace armature::transport::sim {

using Actor = TurnMemory::Actor;
using Fate = TurnMemory::Fate;

Fates::Fates(const TurnMemory& memory, const Options& options)
    : memory_(memory),
      options_(options),
      told_(static_cast<std::size_t>(memory.processes())),
      seen_(told_.size()) {}

void Fates::begin() {
  if (options_.deaths == 0) return;
  const base::NoSignals none;
  std::thread([this] { await_death(); }).detach();
}

void Fates::plan() {
  TurnMemory::Shared& shared = memory_.shared();
  const std::vector<Fate> deaths = draw(options_.deaths), joins = draw_joins();
  std::ranges::copy(deaths, shared.deaths);
  std::vector<Fate> changes = draw(options_.leaves);
  for (Fate& leave : changes) {
    const auto is_later = [&](const Fate& join) {
      return join.process == leave.process && join.at_ns > leave.at_ns;
    };
    if (std::ranges::any_of(joins, is_later)) leave.process %= memory_.processes_at_first();
  }
  changes.insert(changes.end(), joins.begin(), joins.end());
  std::ranges::stable_sort(changes, {}, &Fate::at_ns);
  std::ranges::copy(changes, shared.changes);
}

/// Early or late: as likely in the first half of a millisecond as from its tenth on.
std::vector<TurnMemory::Fate> Fates::draw(int count) const {
  constexpr double first_exponent = 5.5, exponents = 2;
  base::Random& random = memory_.shared().random;
  std::vector<Fate> all(static_cast<std::size_t>(std::min(count, TurnMemory::fates_max)));
  for (Fate& one : all) {
    const double chance = static_cast<double>(random.below(1000)) / 1000;
    one.process = static_cast<int>(random.below(static_cast<std::uint64_t>(memory_.processes())));
    one.at_ns = static_cast<std::uint64_t>(std::pow(10, first_exponent + exponents * chance));
  }
  std::ranges::sort(all, {}, &Fate::at_ns);
  return all;
}

std::vector<TurnMemory::Fate> Fates::draw_joins() const {
  std::vector<Fate> all = draw(options_.joins);
  int next = memory_.processes_at_first();
  for (Fate& join : all) {
    join.process = next++;
    join.comes = true;
  }
  return all;
}

void Fates::await_seen() {
  constexpr timespec interval{0, 200'000};
  for (int p = 0; p < memory_.processes(); ++p) {
    const auto place = static_cast<std::size_t>(p);
    if (memory_.actor(p).killed_ns == 0 || seen_[place]) continue;
    while (!options_.death_is_seen(p)) nanosleep(&interval, nullptr);
    seen_[place] = true;
  }
}

void Fates::die_if_due() {
  TurnMemory::Shared& shared = memory_.shared();
  const auto is_due = [&](const Fate& death) {
    return death.process == memory_.process() && death.at_ns <= shared.now_ns;
  };
  if (std::ranges::any_of(shared.deaths, is_due)) die();
}

void Fates::die() {
  constexpr std::uint64_t known_ns_max = 300'000;
  TurnMemory::Shared& shared = memory_.shared();
  Actor& me = memory_.me();
  me.ended = true;
  me.killed_ns = shared.now_ns;
  me.known_ns = shared.now_ns + shared.random.below(known_ns_max);
  is_to_die_.release();
  syscall(SYS_set_tid_address, &runs_);  // the kernel clears that at the end of this thread
  syscall(SYS_exit, 0);
  __builtin_unreachable();
}

/// By a thread with a stack of its own: the others may write over what a rank has on its stack as
/// soon as it is their turn, so nobody may run on that any more.
void Fates::await_death() {
  constexpr long look_again_ns = 1'000'000'000;
  is_to_die_.acquire();
  while (runs_.load(std::memory_order_acquire) != 0) base::futex_wait(runs_, 1, look_again_ns);
  if (memory_.others_are_left()) memory_.give_turn(memory_.choose());
  raise(SIGKILL);
}

void Fates::tell_deaths() {
  for (int p = 0; p < memory_.processes(); ++p) {
    const auto place = static_cast<std::size_t>(p);
    const Actor& one = memory_.actor(p);
    if (one.killed_ns == 0 || told_[place] || memory_.shared().now_ns < one.known_ns) continue;
    told_[place] = options_.on_death(p);
  }
}

bool Fates::is_over(const Fate& change) const {
  if (!options_.all_agree) return change.known_by != 0;
  for (int p = 0; p < memory_.processes(); ++p)
    if (!memory_.actor(p).ended && (change.known_by >> p & 1) == 0) return false;
  return true;
}

/// One after the other, as they are planned: who has begun to leave has left before the next
/// begins.
void Fates::tell_changes() {
  for (Fate& change : memory_.shared().changes) {
    if (change.process < 0) continue;
    if (change.at_ns > memory_.shared().now_ns) return;
    const std::uint64_t me = std::uint64_t{1} << memory_.process();
    const auto tell = change.comes ? options_.on_join : options_.on_leave;
    if ((change.known_by & me) == 0 && tell(change.process)) change.known_by |= me;
    if (is_over(change)) change.process = -1;
    return;
  }
}

void Fates::tell() {
  tell_deaths();
  tell_changes();
}

}  // namespace armature::transport::sim
