#pragma once

#include <cstdint>

namespace armature::wait {

/// Why a rank that waits has its turn.
enum class Turn : std::uint8_t {
  look,         // its condition may hold
  look_around,  // the same, and it is time to see whether those waited for are still there
  serve,        // another rank has handed its own turn over
  refused,      // it has its turn still
};

/// A rank that waits for another one's answer hands its turn over to that one, which executes the
/// call and hands the turn back. So a call between ranks of one thread goes through no queue
/// (hand-off scheduling, as in lightweight remote procedure call, Bershad et al. 1990).
class Handoff {
 public:
  Handoff() = default;
  Handoff(const Handoff&) = delete;
  Handoff& operator=(const Handoff&) = delete;
  virtual ~Handoff() = default;

  /// Hands the calling rank's turn over to that one, if it waits in this process. Returns when the
  /// calling rank has its next turn. False: nothing has happened.
  bool to(int rank) { return pass(rank, Pass::over) != Turn::refused; }
  /// The rank whose turn the calling one has; -1: its own.
  [[nodiscard]] virtual int giver() const = 0;
  /// Hands that turn back. `waits_on`: the calling rank has nothing to do; else it is ready.
  /// Returns when it has its next turn. Where it has waited since it was given the turn, the giver
  /// is ready already, and this returns at once.
  Turn back(bool waits_on) { return pass(-1, waits_on ? Pass::back : Pass::back_ready); }

 protected:
  enum class Pass : std::uint8_t {
    over,
    back,        // the calling rank waits on
    back_ready,  // it has something to do
  };
  /// `rank` counts in one direction only. Both are one function, so that the processor guesses
  /// right where its return leads, though the stacks change.
  virtual Turn pass(int rank, Pass how) = 0;
};

}  // namespace armature::wait
