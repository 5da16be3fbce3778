#pragma once

#include <cstddef>
#include <cstdint>
#include <exception>

#include "armature/world.hpp"
#include "fibers/flow.hpp"
#include "wait/gone_ranks.hpp"
#include "wait/modules.hpp"
#include "wait/rank_context.hpp"
#include "wait/wait.hpp"

namespace armature::hosting {

/// A thread of control of a rank, and what it waits for.
struct ModuleFlow {
  ModuleFlow() = default;
  ModuleFlow(std::byte* low, std::size_t bytes, void (*body)(void*), void* argument)
      : flow(low, bytes, body, argument) {}

  fibers::Flow flow;
  std::byte* stack = nullptr;  // its memory, which has this too; nullptr: the rank's own
  ModuleFlow* next = this;     // in a ring
  World* world = nullptr;      // its own, while it does not run
  // Its wait, while it is in one: whether it is over, and what the look threw.
  wait::WaitFor* wait = nullptr;
  wait::detail::Ready ready = nullptr;
  void* condition = nullptr;
  bool holds = false;
  bool is_given_up = false;  // has ended
  std::exception_ptr failure;
  wait::GoneRanks gone;

  /// Whether it can go on. Looks at a condition that did not hold before.
  bool can_go_on();
  /// Looks at its condition; what that throws is kept for it.
  bool look();
  /// Whether a rank that it waits for has gone: it goes on with the error that says so.
  bool has_lost_rank(const space::AddressSpace& space);
};

/// The modules of one rank. They take turns where they wait: nobody is interrupted. A condition is
/// looked at by whichever of them runs. When none can go on, the one that came last waits for the
/// rank, until any can. Stacks and records lie in the rank's segment.
class RankModules final : public wait::Modules {
 public:
  explicit RankModules(wait::RankContext& rank) : rank_(rank) {}

  [[nodiscard]] bool may_switch() const override;
  void wait(wait::WaitFor& wait, wait::detail::Ready ready, void* condition) override;
  void yield() override;

  /// Adds one that begins with body(argument) when the others wait.
  ModuleFlow& add(std::byte* stack, std::size_t bytes, World& world, void (*body)(void*),
                  void* argument);
  /// The calling one has ended: others go on, and it waits for ever.
  [[noreturn]] void end();
  /// Gives up one that has ended, and its world: it is only taken out any more.
  void give_up(ModuleFlow& module);
  [[nodiscard]] ModuleFlow* find_given_up();
  /// Takes out one that has ended; returns the memory of its stack. Not while modules are looked
  /// at.
  std::byte* remove(ModuleFlow& module);
  /// How many nobody has waited for.
  [[nodiscard]] int left() const;
  /// Whether there are none but the rank's own.
  [[nodiscard]] bool are_over() const { return own_.next == &own_; }

 private:
  void switch_to(ModuleFlow& next);
  ModuleFlow* find_ready();
  ModuleFlow* find_lost();
  /// Waits for the rank; returns one that can go on.
  ModuleFlow& wait_for_any(const wait::WaitFor& mine);
  void require_stack() const;

  wait::RankContext& rank_;
  ModuleFlow own_;
  ModuleFlow* running_ = &own_;
  bool rank_waits_ = false;  // for any of them
};

}  // namespace armature::hosting
