#pragma once

#include <cstddef>
#include <cstdint>

#include "virtual/rank_queue.hpp"

namespace armature::fibers {

inline constexpr int priority_max = 3;  // and the least is as far below 0

/// The ranks that are ready: those of higher priority first, and first in, first out among equals.
/// Nobody starves: now and then it is the turn of another priority, of each in its turn. As long as
/// all have the usual one, this is one queue.
class ReadyQueue {
 public:
  [[nodiscard]] bool empty() const { return usual_.empty() && others_ == 0; }
  /// Whether one may be taken out by take_best.
  [[nodiscard]] bool has_several() const;
  void push(RankFiber& fiber) {
    if (fiber.priority == 0) [[likely]]
      return usual_.push(fiber);
    push_other(fiber);
  }
  /// nullptr when it is empty.
  RankFiber* pop() {
    if (others_ == 0) [[likely]]
      return usual_.pop();
    return pop_by_priority();
  }
  /// As of a RankQueue, of those that have the same priority; the lowest first.
  template <class Value>
  RankFiber* take_best(std::size_t looks_max, Value value) {
    for (int level = 0; level < levels; ++level)
      if (RankFiber* const found = queue(level).take_best(looks_max, value)) return found;
    return nullptr;
  }

 private:
  static constexpr int levels = 2 * priority_max + 1;
  static constexpr int usual_level = priority_max;

  [[nodiscard]] RankQueue& queue(int level) {
    return level == usual_level ? usual_ : by_level_[level];
  }
  void push_other(RankFiber& fiber);
  RankFiber* pop_by_priority();
  RankFiber* pop_from(int level);

  RankQueue usual_;
  std::uint32_t others_ = 0;  // a bit for each other level that is not empty
  std::uint32_t picks_ = 0;
  int level_in_turn_ = 0;
  RankQueue by_level_[levels];
};

}  // namespace armature::fibers
