#pragma once

#include <cstddef>
#include <cstdint>

#include "fibers/process_ranks.hpp"
#include "fibers/quiesce_body.hpp"
#include "wait/notifier.hpp"

namespace armature::fibers {

/// How a process sleeps.
class Sleeper {
 public:
  enum class Until { woken, timeout };
  /// Sleeps when no rank can go on: until one is woken, or the process, more often than so many
  /// times, or the time is over.
  virtual void park(Until until, std::uint32_t times, long timeout_ns) = 0;

 protected:
  ~Sleeper() = default;
};

/// The work of a process none of whose ranks is ready. It lets ranks look again that may have
/// missed a notification, takes in what the network brings, asks for ranks of others, and sleeps.
class IdleLoop {
 public:
  IdleLoop(ProcessRanks& ranks, QuiesceBody& body, Sleeper& sleeper);

  /// Called before the process looks whether there is something to do.
  void begin_round();
  /// Ends idling: somebody has made progress.
  void end() { rounds_ = 0; }
  /// Does what is to be done while no rank is ready.
  void idle();

  /// Makes ready those who wait together for words that have come, where somebody has told this
  /// process of one. So a rank that is released has its turn as soon as one that is notified. A
  /// look goes through all words: between two looks there is a turn for each few of them.
  ///
  /// Not called while a rank has looked at its word and has still to be put aside.
  void look_at_words_in_turn() {
    if (wait::times_woken(ranks_.host.slot) == times_told_) [[likely]]
      return;
    if (ranks_.queue.turns() - words_turn_ >= ranks_.gatherings.size() / words_per_turn)
      (void)look_at_words();
  }
  /// Called after a death: all that wait look at whom they wait for.
  void look_for_deaths();
  enum class Barrier { not_yet, passed };
  /// Lets announced ranks look again: from the barrier on everybody sees that they wait. Then they
  /// may rest.
  void look_at_announced(Barrier barrier);

 private:
  static constexpr std::size_t words_per_turn = 16;

  void look_again(std::size_t count);
  [[nodiscard]] bool linger(bool shared) const;
  void sleep();
  bool look_at_words();

  ProcessRanks& ranks_;
  QuiesceBody& body_;
  Sleeper& sleeper_;
  std::uint32_t rounds_ = 0;  // since somebody made progress
  std::uint64_t since_ns_ = 0;
  long park_ns_ = 0;
  std::uint32_t times_woken_ = 0;  // when it last began to look
  std::uint32_t times_told_ = 0;   // when it last looked at words
  std::uint32_t words_turn_ = 0;   // the turn when it did
  std::uint32_t deaths_seen_;
  std::size_t look_turn_ = 0;
  std::uint64_t looked_again_ns_ = 0;  // when all had last slept, and some looked again
};

}  // namespace armature::fibers
