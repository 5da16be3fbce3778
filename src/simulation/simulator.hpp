#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/random.hpp"
#include "engines/fault_model.hpp"
#include "fibers/fiber.hpp"
#include "wait/rank_context.hpp"
#include "wait/scheduler.hpp"

namespace armature::simulation {

/// Says what this node's ranks in that process (-1: in any) wait for, a line for each.
[[nodiscard]] std::string say_waits(const space::Mapping& mapping, int process);

/// A whole job in one process, on a clock of its own. Every rank is a fiber, or every process of
/// virtual ranks. One seed decides whose turn it is, how slow each is, and the faults between them.
/// The same seed gives the same run, as long as the program takes no chance, time or input from
/// elsewhere.
class Simulator final : public wait::Scheduler {
 public:
  /// give_up(status, text) ends the process.
  using GiveUp = void (*)(int status, const char* text);
  /// Simulates so many `actors` that take turns: all ranks, or processes.
  Simulator(const space::Mapping& mapping, int actors, GiveUp give_up);
  ~Simulator() override;

  /// Runs live(actor) for every actor to its end. When no rank can go on any more, ends the process
  /// with what each of them waits for.
  void run(const std::function<void(int actor)>& live);

  void yield(bool made_progress) override;
  // Sources of the fault model between the ranks; set before run().
  [[nodiscard]] base::Random& random() { return random_; }
  [[nodiscard]] const std::uint64_t& clock() const { return now_ns_; }
  void set_fault_model(transport::FaultModel& fault_model) { fault_model_ = &fault_model; }
  /// Makes some turns take as long as a rank that computes.
  void let_some_compute() { some_compute_ = true; }

 private:
  struct Actor {
    std::unique_ptr<fibers::Fiber> fiber;
    wait::RankContext* context = nullptr;  // while suspended
    std::uint64_t weight = 1;              // how often it has its turn
  };
  Actor& choose();
  void pass_time();
  void stalled() const;

  const space::Mapping& mapping_;
  std::uint64_t seed_;
  GiveUp give_up_;
  base::Random random_;
  std::uint64_t now_ns_ = 1;
  transport::FaultModel* fault_model_ = nullptr;
  bool some_compute_ = false;
  std::vector<Actor> actors_;
  Actor* running_ = nullptr;
  std::uint64_t idle_turns_ = 0;  // in a row in which nobody made progress
};

}  // namespace armature::simulation
