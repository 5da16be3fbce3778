#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <memory>
#include <queue>
#include <vector>

#include "fibers/fiber.hpp"
#include "simulation/timed_stacks.hpp"
#include "transport/network_costs.hpp"
#include "wait/rank_context.hpp"
#include "wait/scheduler.hpp"

namespace armature::simulation {

using Picoseconds = transport::Picoseconds;

/// A whole job in one process, in which every rank has a clock. Whoever is earliest has its turn:
/// a rank until it waits or computes, or an event, such as bytes that arrive. So nothing happens
/// before what it depends on, and a run is the same each time. Nobody looks in vain: a rank that
/// waits is put aside until it is notified. Ranks that poll, and those that nobody notifies, look
/// by themselves: when for very long nothing else has happened, and nothing is on its way, no rank
/// can go on any more.
class TimedSimulator final : public wait::Scheduler {
 public:
  using GiveUp = void (*)(int status, const char* text);
  /// The time of a rank, by what it did.
  struct Account {
    Picoseconds finished = 0;
    Picoseconds computed = 0, waited = 0;
  };

  TimedSimulator(const space::Mapping& mapping, int ranks, GiveUp give_up);
  ~TimedSimulator() override;

  /// Runs live(rank) for every rank to its end. When no rank can go on any more, ends the process
  /// with what each of them waits for.
  void run(const std::function<void(int rank)>& live);
  /// Measured time of this thread counts so many times as computing.
  void measure(double times) { measured_ = times; }

  // The rank that runs, or the event that happens, has this time.
  [[nodiscard]] Picoseconds now() const { return now_; }
  [[nodiscard]] int running() const { return running_; }
  /// The rank's clock moves; others that are earlier do not have their turn yet.
  void charge(Picoseconds time) { now_ += time; }
  /// The rank's clock moves, and others have their turns until then. It computes or waits.
  void compute(Picoseconds time);
  void wait_until_time(Picoseconds time);
  /// Puts the rank aside until notify(); may return before.
  void wait_for_notice();

  /// At that time `act` is called, by no rank.
  void at(Picoseconds time, std::function<void()> act);
  /// The rank looks again at that time, should it wait.
  void notify_at(Picoseconds time, int rank);
  [[nodiscard]] const Account& account(int rank) const {
    return ranks_[static_cast<std::size_t>(rank)].account;
  }
  /// Called where a rank notifies another one, before that is done: false where it need not be, as
  /// what it is told of has a time of its own.
  void on_notify(std::function<bool(int to)> hook) { notifies_ = std::move(hook); }

  void yield(bool made_progress) override;
  wait::Turn wait(bool made_progress, const wait::WaitFor& wait) override;
  void goes_on(bool /*at_once*/) override {
    sweeps_ = 0;
    is_busy(now_);
  }
  bool wakes(int process, int rank) override;

 private:
  enum class State : std::uint8_t {
    ready,  // at a time of its own: nobody makes that earlier
    running,
    aside,
    notified,  // when it has been aside, and runs again
    done
  };
  struct Ranked {
    std::unique_ptr<fibers::Fiber> fiber;
    wait::RankContext* context = nullptr;  // while suspended
    Picoseconds clock = 0;
    Picoseconds notified = 0;  // for when
    Picoseconds patience = 0;  // how long until it looks by itself again
    std::uint32_t turn = 0;    // the entry in the queue that counts
    State state = State::ready;
    Account account;
  };
  struct Entry {
    Picoseconds time = 0;
    std::uint64_t number = 0;  // of two at the same time the one that was made first
    std::int32_t rank = -1;    // -1: an event
    std::uint32_t turn = 0;    // or the event's place
    bool operator>(const Entry& other) const {
      return time != other.time ? time > other.time : number > other.number;
    }
  };

  void push(int rank, Picoseconds time, State state);
  void suspend(State state, Picoseconds time);
  void resume(int rank, Picoseconds time);
  void add_event(Picoseconds time, std::function<void()> act);
  void happen(std::uint32_t place);
  /// Something happens until then, besides that ranks look for what others do.
  void is_busy(Picoseconds until) {
    busy_until_ = std::max(busy_until_, until);
    idle_polls_ = 0;
  }
  [[nodiscard]] Picoseconds idle() const { return now_ - busy_until_; }
  void sweep();
  Ranked& running_rank() { return ranks_[static_cast<std::size_t>(running_)]; }

  const space::Mapping& mapping_;
  GiveUp give_up_;
  double measured_ = 0;
  Picoseconds now_ = 0;
  int running_ = -1;
  int sweeps_ = 0;  // in a row, in which nobody went on
  Picoseconds busy_until_ = 0;
  std::uint64_t idle_polls_ = 0;  // since then
  std::uint64_t numbers_ = 0;
  TimedStacks stacks_;
  std::vector<Ranked> ranks_;
  std::priority_queue<Entry, std::vector<Entry>, std::greater<>> queue_;
  std::vector<std::function<void()>> events_;
  std::vector<std::uint32_t> free_events_;
  std::function<bool(int)> notifies_;
};

}  // namespace armature::simulation
