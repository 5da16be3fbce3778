#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <semaphore>
#include <span>
#include <string>
#include <vector>

#include "base/random.hpp"
#include "bootstrap/exchange.hpp"

namespace armature::transport::sim {

/// A value of ProcessSlot::joined, in a simulation: the launcher has seen that process die.
inline constexpr std::uint32_t seen_dead = 2;

/// The processes of a simulated job of several nodes, or of one in which some die or leave. Each is
/// a real one, with memory of its own, and they act in turn: one seed decides who is next, and what
/// their common clock shows. What one does between two of its turns the others see at once, as if
/// all were on one thread.
class Turns {
 public:
  struct Options {
    std::uint64_t seed = 0;
    // So many processes are killed, and so many asked to leave, when the seed decides.
    int deaths = 0, leaves = 0;
    /// What the ranks of this process wait for, to be told when nobody can go on; and who ends the
    /// job then: give_up(status, text).
    std::string (*waits)() = nullptr;
    void (*give_up)(int status, const char* text) = nullptr;
    /// That process was killed, some time ago: whoever watches this node tells its processes.
    /// False when it does not yet: then it is asked again.
    bool (*on_death)(int process) = nullptr;
    /// Whether the launcher has seen that process die. It judges by the machine's clock whether the
    /// job can go on without it, so until then nobody acts.
    bool (*death_is_seen)(int process) = nullptr;
    /// That process is to leave. False while it has not left yet: then it is asked again.
    bool (*on_leave)(int process) = nullptr;
  };

  /// Collective, and the last that processes do at the same time as others is to begin().
  /// Throws Error(start).
  static void join(bootstrap::Exchange& exchange, const Options& options);
  /// Of this process; nullptr where it has none.
  static Turns* of_process();

  Turns(bootstrap::Exchange& exchange, const Options& options);
  Turns(const Turns&) = delete;
  Turns& operator=(const Turns&) = delete;

  /// Returns when all have come here and this process is the first, or when it is its turn.
  void begin();
  /// Others act, and time passes. `got_on`: whether this one has got anything done since it passed
  /// last. Returns when it is its turn again.
  void pass(bool got_on);
  /// It acts no more.
  void end();

  [[nodiscard]] bool has_begun() const { return begun_; }
  [[nodiscard]] int process() const { return process_; }
  [[nodiscard]] int processes() const { return processes_; }
  [[nodiscard]] std::uint64_t seed() const { return options_.seed; }

  // By whose turn it is.
  [[nodiscard]] base::Random& random();
  [[nodiscard]] std::uint64_t now_ns() const;
  /// Memory for what travels from one process to another; zeros at first.
  [[nodiscard]] std::span<std::byte> lane(int from, int to) const;
  /// So many more (or fewer) packets wait here to leave, or are on their way to that process:
  /// nobody is stuck while there are.
  void count_waiting(int more);
  void count_under_way(int to, int more);
  /// When that process was killed; 0: it was not.
  [[nodiscard]] std::uint64_t killed_ns(int process) const;

 private:
  struct Shared;
  struct Actor;
  struct Fate;

  [[nodiscard]] Actor& actor(int process) const;
  [[nodiscard]] int choose();
  void give_turn(int process);
  void await_turn();
  void plan_fates();
  void die_if_due();
  void await_death();
  void tell_deaths();
  void tell_leaves();
  [[nodiscard]] bool some_are_under_way() const;
  [[nodiscard]] bool others_are_left() const;
  [[noreturn]] void stalled();

  int process_, processes_;
  Options options_;
  Shared* shared_ = nullptr;
  std::vector<bool> told_;  // by process: that it was killed
  std::vector<bool> seen_;  // by process: that the launcher knows it
  std::binary_semaphore is_to_die_{0};
  std::atomic<std::uint32_t> runs_{1};  // futex word: the thread that is to die
  bool begun_ = false;
};

}  // namespace armature::transport::sim
