#include "virtual/simulator.hpp"

#include <cstdlib>

#include <fmt/format.h>

#include "base/clock.hpp"
#include "base/fail.hpp"

namespace armature::simulation {
namespace {

constexpr std::size_t stack_bytes = 1 << 20;
// Nobody got on in so many turns of each, with nothing under way: nobody ever will.
constexpr std::uint64_t idle_turns_of_each = 2000;

// The clock of the process, as it is read everywhere.
const std::uint64_t* clock_ns = nullptr;

const char* name(space::Awaiting what) {
  constexpr const char* names[] = {
      "nothing",       "a barrier", "a collective",       "a mutex",
      "an accumulate", "a notify",  "a message",          "room in a channel",
      "completion",    "a team",    "the end of the job", "an answer",
      "rmi_fence",     "rmi_wait"};
  const auto index = static_cast<std::size_t>(what);
  return index < std::size(names) ? names[index] : "something";
}

}  // namespace

Simulator::Simulator(std::uint64_t seed, int ranks, GiveUp give_up)
    : seed_(seed), give_up_(give_up), random_(seed) {
  clock_ns = &now_ns_;
  base::clock_override = [] { return *clock_ns; };
  ranks_.resize(static_cast<std::size_t>(ranks));
  for (SimulatedRank& rank : ranks_) rank.weight = random_.chance(0.25) ? 1 : 1 + random_.below(40);
}

Simulator::~Simulator() { base::clock_override = nullptr; }

Simulator::SimulatedRank& Simulator::choose() {
  std::uint64_t sum = 0;
  for (const SimulatedRank& rank : ranks_) sum += rank.fiber->done() ? 0 : rank.weight;
  std::uint64_t ticket = random_.below(sum);
  for (SimulatedRank& rank : ranks_) {
    if (rank.fiber->done()) continue;
    if (ticket < rank.weight) return rank;
    ticket -= rank.weight;
  }
  std::abort();
}

void Simulator::run(const std::function<void(int rank)>& live) {
  for (std::size_t i = 0; i < ranks_.size(); ++i)
    ranks_[i].fiber =
        std::make_unique<fibers::Fiber>(stack_bytes, [&live, i] { live(static_cast<int>(i)); });
  std::size_t left = ranks_.size();
  while (left > 0) {
    running_ = &choose();
    progress::set_this_rank(running_->context);
    running_->fiber->resume();
    running_->context = progress::current_rank();
    progress::set_this_rank(nullptr);
    now_ns_ += 20 + random_.below(500);
    if (running_->fiber->done()) {
      --left;
      idle_turns_ = 0;
    }
  }
}

void Simulator::yield(bool got_on) {
  idle_turns_ = got_on || weather_->something_is_under_way() ? 0 : idle_turns_ + 1;
  if (idle_turns_ > idle_turns_of_each * ranks_.size() * 40) stalled();
  running_->fiber->suspend();
}

void Simulator::stalled() const {
  std::string text = fmt::format("simulation with seed {}: no rank can go on", seed_);
  for (std::size_t i = 0; i < ranks_.size(); ++i) {
    const SimulatedRank& rank = ranks_[i];
    const progress::RankContext* context =
        &rank == running_ ? progress::current_rank() : rank.context;
    if (rank.fiber->done() || context == nullptr) {
      text += fmt::format("\n  rank {} is through, or has not begun", i);
      continue;
    }
    const space::WaitRecord& wait = context->space.slot(static_cast<int>(i)).wait;
    const int peer = wait.peer.load(std::memory_order_relaxed);
    text += fmt::format("\n  rank {} waits for {}{} (detail {})", i,
                        name(wait.awaiting.load(std::memory_order_relaxed)),
                        peer < 0 ? "" : fmt::format(" of rank {}", peer),
                        wait.detail.load(std::memory_order_relaxed));
  }
  give_up_(1, text.c_str());
}

}  // namespace armature::simulation
