#include "simulation/simulator.hpp"

#include <cstdlib>

#include <fmt/format.h>

#include "base/clock.hpp"
#include "base/fail.hpp"
#include "base/runtime.hpp"
#include "wait/notifier.hpp"

namespace armature::simulation {
namespace {

constexpr std::size_t stack_bytes = 1 << 20;
// Nobody made progress in so many turns of each, with nothing under way: nobody ever will.
constexpr std::uint64_t idle_turns_of_each = 2000;

/// The clock of the process, as it is read everywhere.
struct Clock {
  const std::uint64_t* now_ns = nullptr;
};

const char* name(space::Awaiting what) {
  constexpr const char* names[] = {"nothing",   "a barrier",          "a collective",
                                   "a mutex",   "an accumulate",      "a notify",
                                   "a message", "room in a channel",  "completion",
                                   "a team",    "the end of the job", "an answer",
                                   "rmi_fence", "rmi_wait",           "an object's name",
                                   "a static",  "a condition",        "a word"};
  const auto index = static_cast<std::size_t>(what);
  return index < std::size(names) ? names[index] : "something";
}

}  // namespace

Simulator::Simulator(const space::Mapping& mapping, int actors, GiveUp give_up)
    : mapping_(mapping),
      seed_(mapping.header().simulation.seed),
      give_up_(give_up),
      random_(mapping.header().simulation.seed) {
  base::state<Clock>().now_ns = &now_ns_;
  base::simulated.now_ns = [] { return *base::state<Clock>().now_ns; };
  actors_.resize(static_cast<std::size_t>(actors));
  for (Actor& actor : actors_) actor.weight = random_.chance(0.25) ? 1 : 1 + random_.below(40);
}

Simulator::~Simulator() { base::simulated.now_ns = nullptr; }

Simulator::Actor& Simulator::choose() {
  const auto weight = [&](std::size_t i) {
    return actors_[i].fiber->done() ? 0 : actors_[i].weight;
  };
  return actors_[random_.choose(actors_.size(), weight)];
}

void Simulator::run(const std::function<void(int actor)>& live) {
  for (std::size_t i = 0; i < actors_.size(); ++i)
    actors_[i].fiber =
        std::make_unique<fibers::Fiber>(stack_bytes, [&live, i] { live(static_cast<int>(i)); });
  std::size_t left = actors_.size();
  while (left > 0) {
    running_ = &choose();
    wait::set_this_rank(running_->context);
    running_->fiber->resume();
    running_->context = wait::current_rank();
    wait::set_this_rank(nullptr);
    pass_time();
    if (running_->fiber->done()) {
      --left;
      idle_turns_ = 0;
    }
  }
}

void Simulator::pass_time() {
  const std::uint64_t turn_ns_max = some_compute_ && random_.chance(0.02) ? 40'000 : 500;
  now_ns_ += 20 + random_.below(turn_ns_max);
  for (int rank = fault_model_->take_due(); rank >= 0; rank = fault_model_->take_due())
    wait::notify(mapping_.slot(rank));
}

void Simulator::yield(bool made_progress) {
  idle_turns_ = made_progress || fault_model_->something_is_under_way() ? 0 : idle_turns_ + 1;
  if (idle_turns_ > idle_turns_of_each * actors_.size() * 40) stalled();
  running_->fiber->suspend();
}

void Simulator::stalled() const {
  const std::string text =
      fmt::format("simulation with seed {}: no rank can go on{}", seed_, say_waits(mapping_, -1));
  give_up_(1, text.c_str());
}

std::string say_waits(const space::Mapping& mapping, int process) {
  std::string text;
  for (int rank = 0; rank < mapping.ranks(); ++rank) {
    const space::RankSlot& slot = mapping.slot(rank);
    if (!mapping.is_here(rank) || (process >= 0 && slot.process != process)) continue;
    const space::Life life = slot.life.load(std::memory_order_relaxed);
    if (life != space::Life::running && life != space::Life::leaving) {
      text += fmt::format("\n  rank {} is through, or has not begun", rank);
      continue;
    }
    const int peer = slot.wait.peer.load(std::memory_order_relaxed);
    text += fmt::format("\n  rank {} waits for {}{} (detail {})", rank, name(slot.wait.waits_for()),
                        peer < 0 ? "" : fmt::format(" of rank {}", peer),
                        slot.wait.detail.load(std::memory_order_relaxed));
  }
  return text;
}

}  // namespace armature::simulation
