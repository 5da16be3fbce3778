#pragma once

#include <cstddef>
#include <utility>

#include "fibers/rank_fiber.hpp"

namespace armature::fibers {

/// First in, first out.
class RankQueue {
 public:
  [[nodiscard]] bool empty() const { return first_ == nullptr; }
  /// The one to be taken out next; nullptr when it is empty.
  [[nodiscard]] const RankFiber* front() const { return first_; }
  [[nodiscard]] bool has_several() const { return first_ != nullptr && first_->next != nullptr; }
  [[nodiscard]] std::size_t size() const {
    std::size_t count = 0;
    for (const RankFiber* at = first_; at != nullptr; at = at->next) ++count;
    return count;
  }
  /// Takes out the first of the first `looks_max` for which `is_good` holds; nullptr when none is.
  template <class Good>
  RankFiber* take_first(std::size_t looks_max, Good is_good) {
    for (RankFiber *before = nullptr, *at = first_; at != nullptr && looks_max > 0;
         before = at, at = at->next, --looks_max) {
      if (!is_good(*at)) continue;
      (before == nullptr ? first_ : before->next) = at->next;
      if (last_ == at) last_ = before;
      return at;
    }
    return nullptr;
  }
  /// Takes out all for which `is_good` holds, in their order, and calls f(fiber) for each. Returns
  /// how many it has looked at.
  template <class Good, class F>
  std::size_t take_all(Good is_good, F f) {
    std::size_t count = 0;
    for (RankFiber *before = nullptr, *at = first_; at != nullptr; ++count) {
      RankFiber* const after = at->next;
      if (!is_good(*at)) {
        before = std::exchange(at, after);
        continue;
      }
      (before == nullptr ? first_ : before->next) = after;
      if (last_ == at) last_ = before;
      f(*std::exchange(at, after));
    }
    return count;
  }
  /// Inserts it before the first of the first `looks_max` that is cheaper; else last.
  void push_by_cost(RankFiber& fiber, std::size_t looks_max) {
    RankFiber *before = nullptr, *at = first_;
    for (; at != nullptr && looks_max > 0 && at->cost_ns >= fiber.cost_ns; --looks_max)
      before = std::exchange(at, at->next);
    if (at == nullptr || looks_max == 0) return push(fiber);
    fiber.next = at;
    (before == nullptr ? first_ : before->next) = &fiber;
  }
  void push(RankFiber& fiber) {
    fiber.next = nullptr;
    (first_ == nullptr ? first_ : last_->next) = &fiber;
    last_ = &fiber;
  }
  /// nullptr when it is empty.
  RankFiber* pop() {
    RankFiber* const front = first_;
    if (front != nullptr) first_ = front->next;
    return front;
  }

 private:
  RankFiber* first_ = nullptr;
  RankFiber* last_ = nullptr;
};

}  // namespace armature::fibers
