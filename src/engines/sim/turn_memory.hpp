#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>

#include "base/file_descriptor.hpp"
#include "base/random.hpp"
#include "bootstrap/exchange.hpp"

namespace armature::transport::sim {

/// The memory that the processes of a simulation share. The word of each process is a futex: 1 when
/// it is its turn. Who has the turn alone touches all else there; giving it away releases, taking
/// it acquires what the others have done.
class TurnMemory {
 public:
  static constexpr int processes_max = 64, fates_max = 8;

  struct Actor {
    alignas(64) std::atomic<std::uint32_t> has_turn{0};  // futex word
    std::uint32_t weight = 1;                            // how often it has its turn
    bool ended = false;
    bool has_said = false;                      // what it waits for, in a stall
    std::uint64_t killed_ns = 0, known_ns = 0;  // on its node
    std::int64_t waiting = 0, under_way = 0;    // packets: here, to here
  };
  /// That a process ends, leaves or comes.
  struct Fate {
    int process = -1;  // -1: nothing any more
    bool comes = false;
    std::uint64_t at_ns = 0;
    std::uint64_t known_by = 0;  // by process, a bit each: it knows that this has happened
  };
  struct Shared {
    std::atomic<std::uint32_t> arrived{0};
    base::Random random{0};
    std::uint64_t now_ns = 1;
    std::uint64_t idle_turns = 0;  // in a row
    Fate deaths[fates_max], changes[2 * fates_max];
    bool is_stalled = false;
    std::size_t text_bytes = 0;
    char text[16384];  // what all wait for
    Actor actors[processes_max];
  };

  /// Collective. Made by the first process, which draws the weights of all; the others open its
  /// file. It stays mapped until the process ends. `later` more processes have the numbers behind
  /// those of the exchange. They open it when all others have begin() behind them. Throws
  /// Error(start).
  TurnMemory(bootstrap::Exchange& exchange, std::uint64_t seed, int later);
  TurnMemory(const TurnMemory&) = delete;
  TurnMemory& operator=(const TurnMemory&) = delete;
  ~TurnMemory() = default;

  [[nodiscard]] int process() const { return process_; }
  [[nodiscard]] int processes() const { return processes_; }
  /// Those that begin the simulation; the others come to it later.
  [[nodiscard]] int processes_at_first() const { return processes_at_first_; }
  [[nodiscard]] Shared& shared() const { return *shared_; }
  [[nodiscard]] Actor& actor(int process) const {
    return shared_->actors[static_cast<std::size_t>(process)];
  }
  [[nodiscard]] Actor& me() const { return actor(process_); }
  /// Memory for what travels from one process to another; zeros at first.
  [[nodiscard]] std::span<std::byte> lane(int from, int to) const;

  // By whose turn it is.
  /// The process whose turn is next.
  [[nodiscard]] int choose() const;
  void give_turn(int process) const;
  [[nodiscard]] bool others_are_left() const;
  [[nodiscard]] bool some_are_under_way() const;

 private:
  int process_, processes_at_first_, processes_;
  Shared* shared_ = nullptr;
  base::FileDescriptor file_;  // of the first process, for those who come later
};

}  // namespace armature::transport::sim
