#pragma once

#include <cstddef>
#include <cstdint>

#include "fibers/rank_queue.hpp"

namespace armature::fibers {

/// The ranks that are ready: those of higher priority first, and first in, first out among equals.
/// Nobody starves: now and then it is the turn of another priority, of each in its turn. As long as
/// all have the usual one, and none is costly, this is one queue.
///
/// Costly ranks of the usual priority have a queue of their own, the costliest first. So what is
/// left when another process has nothing to do any more are ranks that can be shared out evenly.
/// Between two of them all others that were ready have a turn; and before one has its next turn, so
/// have all costly ones.
class ReadyQueue {
 public:
  [[nodiscard]] bool empty() const { return usual_.empty() && others_ == 0; }
  [[nodiscard]] bool has_several() const;
  void push(RankFiber& fiber) {
    if (fiber.priority == 0) [[likely]]
      return usual_.push(fiber);
    push_other(fiber, level_of(fiber));
  }
  /// A costly one, by its cost.
  void push_costly(RankFiber& fiber);
  /// nullptr when it is empty.
  RankFiber* pop() {
    if (others_ == 0) [[likely]]
      return usual_.pop();
    return pop_by_priority();
  }
  /// The first of the usual priority, which is mostly the next.
  [[nodiscard]] const RankFiber* front() const { return usual_.front(); }
  /// Takes out one for which `is_good` holds: of the lowest priority, the costliest; of each queue
  /// some are looked at. Those that only have to look, which may be many, are not.
  template <class Good>
  RankFiber* take(Good is_good) {
    if (others_ == 0) return nullptr;
    for (int level = 0; level < levels; ++level) {
      if (level == usual_level) {
        for (RankQueue* const queue : {&costly_, &costly_next_})
          if (RankFiber* const found = queue->take_first(looks_max, is_good)) return note(found);
      } else if (RankFiber* const found = by_level_[level].take_first(looks_max, is_good)) {
        return note(found);
      }
    }
    return nullptr;
  }
  /// Puts ranks that are more urgent than their priority says (RankSlot::urgency) where they belong
  /// for this turn. Looks at all; returns how many there are.
  std::size_t expedite();
  /// Pushes an urgent fiber that is in no queue.
  void push_urgent(RankFiber& fiber);

 private:
  static constexpr std::size_t looks_max = 64;
  static constexpr int levels = 2 * priority_max + 1;
  static constexpr int usual_level = priority_max;
  static constexpr std::uint32_t costly_bit = 1u << levels;

  [[nodiscard]] static int level_of(const RankFiber& fiber) { return usual_level + fiber.priority; }
  [[nodiscard]] RankQueue& queue(int level) {
    return level == usual_level ? usual_ : by_level_[level];
  }
  void push_other(RankFiber& fiber, int level);
  RankFiber* pop_by_priority();
  RankFiber* pop_usual();
  /// Called after one was taken out.
  RankFiber* note(RankFiber* taken);

  RankQueue usual_;
  std::uint32_t others_ = 0;  // a bit for each other level that is not empty, and for the costly
  std::uint32_t picks_ = 0;
  int level_in_turn_ = 0;
  RankQueue by_level_[levels];
  RankQueue costly_, costly_next_;  // of this round, of the next one
  std::size_t until_costly_ = 0;    // so many of the usual queue have their turns before
};

}  // namespace armature::fibers
