#include "simulation/timed_simulator.hpp"

#include <ctime>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "base/clock.hpp"
#include "base/fail.hpp"
#include "base/runtime.hpp"
#include "simulation/simulator.hpp"

namespace armature::simulation {
namespace {

// A rank that polls looks so often; one that nobody notifies looks ever less often.
constexpr Picoseconds poll = 100'000, patience_min = 10'000'000, patience_max = 10'000'000'000;
// So often ranks poll while nothing else happens; then ever less often. A program may compute and
// poll meanwhile, or poll until some time has come: so this is more than those do.
constexpr std::uint64_t idle_polls_max = 100'000'000;
constexpr Picoseconds idle_parts = 64;
// For so long nothing happens, and nothing is on its way: nothing ever will.
constexpr Picoseconds idle_max = 1000 * Picoseconds{1'000'000'000'000};
// Measured computing of so long is something that happens; a look takes less.
constexpr Picoseconds computing_min = 10'000'000;
// Nobody went on when all had looked so many times: nobody ever will.
constexpr int sweeps_max = 200;

/// The clock of the process, as it is read everywhere.
struct TimedClock {
  const TimedSimulator* simulator = nullptr;
};

Picoseconds processor_time() {
  timespec t{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return (Picoseconds{t.tv_sec} * 1'000'000'000 + t.tv_nsec) * 1000;
}

}  // namespace

TimedSimulator::TimedSimulator(const space::Mapping& mapping, int ranks, GiveUp give_up)
    : mapping_(mapping),
      give_up_(give_up),
      stacks_(static_cast<std::size_t>(ranks)),
      ranks_(static_cast<std::size_t>(ranks)) {
  base::state<TimedClock>().simulator = this;
  // From 1 on: 0 is no time in many places.
  base::simulated.now_ns = [] {
    return static_cast<std::uint64_t>(base::state<TimedClock>().simulator->now() / 1000) + 1;
  };
}

TimedSimulator::~TimedSimulator() { base::simulated.now_ns = nullptr; }

void TimedSimulator::push(int rank, Picoseconds time, State state) {
  Ranked& one = ranks_[static_cast<std::size_t>(rank)];
  one.state = state;
  queue_.push({time, ++numbers_, rank, ++one.turn});
}

void TimedSimulator::suspend(State state, Picoseconds time) {
  Ranked& me = running_rank();
  me.clock = now_;
  if (state == State::ready)
    push(running_, time, state);
  else
    me.state = state;
  me.fiber->suspend();
}

void TimedSimulator::resume(int rank, Picoseconds time) {
  Ranked& one = ranks_[static_cast<std::size_t>(rank)];
  running_ = rank;
  now_ = std::max(one.clock, time);
  one.state = State::running;
  wait::set_this_rank(one.context);
  const Picoseconds begun = measured_ > 0 ? processor_time() : 0;
  one.fiber->resume();
  if (stacks_.is_used_up(static_cast<std::size_t>(rank))) {
    const std::string text = fmt::format("simulation: rank {} has used up its stack of {} KiB",
                                         rank, TimedStacks::bytes_each >> 10);
    give_up_(1, text.c_str());
  }
  if (measured_ > 0) {
    const auto took =
        static_cast<Picoseconds>(static_cast<double>(processor_time() - begun) * measured_);
    one.clock += took;
    one.account.computed += took;
    if (took >= computing_min) is_busy(one.clock);
  }
  one.context = wait::current_rank();
  wait::set_this_rank(nullptr);
  running_ = -1;
}

void TimedSimulator::happen(std::uint32_t place) {
  const std::function<void()> act = std::exchange(events_[place], nullptr);
  free_events_.push_back(place);
  act();
}

void TimedSimulator::run(const std::function<void(int rank)>& live) {
  std::size_t left = ranks_.size();
  for (std::size_t i = 0; i < ranks_.size(); ++i) {
    ranks_[i].fiber = stacks_.fiber(i, [&live, i] { live(static_cast<int>(i)); });
    push(static_cast<int>(i), 0, State::ready);
  }
  while (left > 0) {
    if (queue_.empty()) {
      sweep();
      continue;
    }
    const Entry entry = queue_.top();
    queue_.pop();
    now_ = std::max(entry.time, Picoseconds{0});
    if (entry.rank < 0) {
      happen(entry.turn);
      continue;
    }
    Ranked& one = ranks_[static_cast<std::size_t>(entry.rank)];
    if (one.turn != entry.turn) continue;
    resume(entry.rank, entry.time);
    if (!one.fiber->done()) continue;
    one.state = State::done;
    one.account.finished = one.clock = std::max(one.clock, now_);
    --left;
    goes_on(true);
  }
}

void TimedSimulator::compute(Picoseconds time) {
  running_rank().account.computed += time;
  is_busy(now_ + time);
  suspend(State::ready, now_ + time);
}

void TimedSimulator::wait_until_time(Picoseconds time) {
  if (time <= now_) return;
  running_rank().account.waited += time - now_;
  is_busy(time);
  suspend(State::ready, time);
}

void TimedSimulator::wait_for_notice() {
  Ranked& me = running_rank();
  const Picoseconds since = now_;
  suspend(State::aside, 0);
  me.account.waited += now_ - since;
}

void TimedSimulator::at(Picoseconds time, std::function<void()> act) {
  is_busy(time);
  add_event(time, std::move(act));
}

void TimedSimulator::add_event(Picoseconds time, std::function<void()> act) {
  std::uint32_t place = 0;
  if (free_events_.empty()) {
    place = static_cast<std::uint32_t>(events_.size());
    events_.emplace_back();
  } else {
    place = free_events_.back();
    free_events_.pop_back();
  }
  events_[place] = std::move(act);
  queue_.push({time, ++numbers_, -1, place});
}

void TimedSimulator::notify_at(Picoseconds time, int rank) {
  if (time > now_) return at(time, [this, rank] { notify_at(now_, rank); });
  Ranked& one = ranks_[static_cast<std::size_t>(rank)];
  const Picoseconds looks = std::max(now_, one.clock);
  // One that is ahead of others may have notified it for later.
  if (one.state != State::aside && !(one.state == State::notified && looks < one.notified)) return;
  one.notified = looks;
  push(rank, looks, State::notified);
}

void TimedSimulator::yield(bool made_progress) {
  // Time goes by in any case: what the rank looks for may still be on its way.
  Picoseconds until_next = poll;
  if (made_progress) {
    is_busy(now_);
    until_next = poll / 10;
  } else if (idle() > 0 && ++idle_polls_ > idle_polls_max) {
    if (idle() > idle_max) sweep();
    until_next = std::max(poll, idle() / idle_parts);
  }
  suspend(State::ready, now_ + until_next);
}

wait::Turn TimedSimulator::wait(bool made_progress, const wait::WaitFor& wait) {
  Ranked& me = running_rank();
  if (!wait.is_notified) {
    me.patience =
        made_progress ? patience_min : std::clamp(2 * me.patience, patience_min, patience_max);
    if (idle() > idle_max) sweep();
    add_event(now_ + me.patience, [this, rank = running_] { notify_at(now_, rank); });
  }
  wait_for_notice();
  return sweeps_ > 0 ? wait::Turn::look_around : wait::Turn::look;
}

bool TimedSimulator::wakes(int /*process*/, int rank) {
  if (!notifies_ || notifies_(rank)) notify_at(now_, rank);
  return true;
}

/// Everybody who waits looks: somebody may have been told of something by nobody. After the first
/// time they do so ever later, as something may be done when some time is over.
void TimedSimulator::sweep() {
  if (++sweeps_ > sweeps_max) {
    const std::string text =
        fmt::format("simulation: no rank can go on{}", say_waits(mapping_, -1));
    give_up_(1, text.c_str());
  }
  const Picoseconds later =
      sweeps_ == 1 ? 0 : std::min(patience_min << std::min(sweeps_, 20), patience_max);
  for (std::size_t i = 0; i < ranks_.size(); ++i) {
    if (ranks_[i].state != State::aside) continue;
    ranks_[i].notified = now_ + later;
    push(static_cast<int>(i), now_ + later, State::notified);
  }
}

}  // namespace armature::simulation
