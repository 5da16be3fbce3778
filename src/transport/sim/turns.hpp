#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "base/random.hpp"
#include "bootstrap/exchange.hpp"

namespace armature::transport::sim {

/// The processes of a simulated job of several nodes. Each is a real one, with memory of its own,
/// and they act in turn: one seed decides who is next, and what their common clock shows. What one
/// does between two of its turns the others see at once, as if all were on one thread.
class Turns {
 public:
  /// What the ranks of this process wait for, to be told when nobody can go on; and who ends the
  /// job then: give_up(status, text).
  struct Stall {
    std::string (*waits)() = nullptr;
    void (*give_up)(int status, const char* text) = nullptr;
  };

  /// Collective, and the last that processes do at the same time as others is to begin().
  /// Throws Error(start).
  static void join(bootstrap::Exchange& exchange, std::uint64_t seed, const Stall& stall);
  /// Of this process; nullptr where it has none.
  static Turns* of_process();

  Turns(bootstrap::Exchange& exchange, std::uint64_t seed, const Stall& stall);
  ~Turns();
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
  [[nodiscard]] std::uint64_t seed() const { return seed_; }

  // By whose turn it is.
  [[nodiscard]] base::Random& random();
  [[nodiscard]] std::uint64_t now_ns() const;
  /// Memory for what travels from one process to another; zeros at first.
  [[nodiscard]] std::span<std::byte> lane(int from, int to) const;
  /// So many more things (or fewer) are on their way: nobody is stuck while there are.
  void count_under_way(int more);

 private:
  struct Shared;
  struct Actor;

  [[nodiscard]] Actor& actor(int process) const;
  [[nodiscard]] int choose();
  void give_turn(int process);
  void await_turn();
  [[noreturn]] void stalled();

  int process_, processes_;
  std::uint64_t seed_;
  Stall stall_;
  Shared* shared_ = nullptr;
  bool begun_ = false;
};

}  // namespace armature::transport::sim
