#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "base/random.hpp"
#include "bootstrap/exchange.hpp"
#include "engines/sim/fates.hpp"
#include "engines/sim/turn_memory.hpp"

namespace armature::transport::sim {

/// The processes of a simulated job of several nodes, or of one in which some die or leave. Each is
/// a real one, with memory of its own, and they act in turn: one seed decides who is next, and what
/// their common clock shows. What one does between two of its turns the others see at once, as if
/// all were on one thread.
class Turns {
 public:
  struct Options {
    std::uint64_t seed = 0;
    Fates::Options fates;
    /// By each that begins the simulation: it has come to begin(), and waits for those who come
    /// later. Whoever starts these is to know that.
    void (*when_ready)() = nullptr;
    /// Functions for when nobody can go on. `waits` tells what the ranks of this process wait for;
    /// give_up(status, text) ends the job then.
    std::string (*waits)() = nullptr;
    void (*give_up)(int status, const char* text) = nullptr;
  };

  /// Collective, and the last that processes do at the same time as others is to begin().
  /// Throws Error(start).
  static void join(bootstrap::Exchange& exchange, const Options& options);
  /// The turns of this process; nullptr where it has none.
  static Turns* of_process();

  Turns(bootstrap::Exchange& exchange, const Options& options);
  Turns(const Turns&) = delete;
  Turns& operator=(const Turns&) = delete;

  /// Returns when all have come here and this process is the first, or when it is its turn.
  void begin();
  /// Others act, and time passes. `made_progress`: whether this one has since it passed last.
  /// Returns when it is its turn again.
  void pass(bool made_progress);
  /// It acts no more.
  void end();
  /// The process is killed, as a seed may decide. Where none dies, it acts no more, and this
  /// returns: it is to end at once.
  void die();

  [[nodiscard]] bool has_begun() const { return begun_; }
  [[nodiscard]] int process() const { return memory_.process(); }
  [[nodiscard]] int processes() const { return memory_.processes(); }
  [[nodiscard]] std::uint64_t seed() const { return options_.seed; }

  // By whose turn it is.
  [[nodiscard]] base::Random& random() { return memory_.shared().random; }
  [[nodiscard]] std::uint64_t now_ns() const { return memory_.shared().now_ns; }
  /// Memory for what travels from one process to another; zeros at first.
  [[nodiscard]] std::span<std::byte> lane(int from, int to) const { return memory_.lane(from, to); }
  /// So many more (or fewer) packets wait here to leave, or are on their way to that process:
  /// nobody is stuck while there are.
  void count_waiting(int more) { memory_.me().waiting += more; }
  void count_under_way(int to, int more) { memory_.actor(to).under_way += more; }
  /// When that process was killed; 0: it was not.
  [[nodiscard]] std::uint64_t killed_ns(int process) const {
    return memory_.actor(process).killed_ns;
  }
  /// Whether that process has ended by itself.
  [[nodiscard]] bool has_ended(int process) const {
    return memory_.actor(process).ended && killed_ns(process) == 0;
  }

 private:
  void await_turn();
  [[noreturn]] void stalled();

  TurnMemory memory_;
  Fates fates_;
  Options options_;
  bool begun_ = false;
};

}  // namespace armature::transport::sim
