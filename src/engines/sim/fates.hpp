#pragma once

#include <atomic>
#include <cstdint>
#include <semaphore>
#include <vector>

#include "engines/sim/turn_memory.hpp"

namespace armature::transport::sim {

// Values of ProcessSlot::joined, in a simulation.
/// The launcher has seen that process die.
inline constexpr std::uint32_t seen_dead = 2;
/// The process has begun, and waits for those who come later.
inline constexpr std::uint32_t awaits_others = 3;

/// Deaths, leaves and joins of a simulation's processes, which the seed decides.
class Fates {
 public:
  struct Options {
    // So many processes are killed, so many asked to leave, and so many come, when the seed
    // decides.
    int deaths = 0, leaves = 0, joins = 0;
    /// Whether a leave or a join is over when all processes know of it; else when one does.
    bool all_agree = false;
    /// That process was killed, some time ago: whoever watches this node tells its processes.
    /// False when it does not yet: then it is asked again.
    bool (*on_death)(int process) = nullptr;
    /// Whether the launcher has seen that process die. It judges by the machine's clock whether the
    /// job can go on without it, so until then nobody acts.
    bool (*death_is_seen)(int process) = nullptr;
    /// That process is to leave. False while it has not left yet: then it is asked again.
    bool (*on_leave)(int process) = nullptr;
    /// That process, which hosts no rank yet, is to come. False while it has not come yet.
    bool (*on_join)(int process) = nullptr;
  };

  Fates(const TurnMemory& memory, const Options& options);
  Fates(const Fates&) = delete;
  Fates& operator=(const Fates&) = delete;

  /// By the first process, before any acts.
  void plan();
  /// From now on this process can be killed.
  void begin();

  // By whose turn it is.
  /// Returns when the launcher has seen all deaths until now: the job's fate does not depend on how
  /// soon the launcher has a core.
  void await_seen();
  void die_if_due();
  /// Possible from begin() on, where some may die.
  [[nodiscard]] bool may_die() const { return options_.deaths != 0; }
  [[noreturn]] void die();
  void tell();

 private:
  void await_death();
  void tell_deaths();
  void tell_changes();
  [[nodiscard]] std::vector<TurnMemory::Fate> draw(int count) const;
  [[nodiscard]] std::vector<TurnMemory::Fate> draw_joins() const;
  [[nodiscard]] bool is_over(const TurnMemory::Fate& change) const;

  const TurnMemory& memory_;
  Options options_;
  std::vector<bool> told_;  // by process: that it was killed
  std::vector<bool> seen_;  // by process: that the launcher knows it
  std::binary_semaphore is_to_die_{0};
  std::atomic<std::uint32_t> runs_{1};  // futex word: the thread that is to die
};

}  // namespace armature::transport::sim
