#pragma once

#include <cstddef>
#include <cstdint>

#include "virtual/rank_fiber.hpp"

namespace armature::fibers {

/// First in, first out.
class RankQueue {
 public:
  [[nodiscard]] bool empty() const { return first_ == nullptr; }
  [[nodiscard]] bool has_several() const { return first_ != nullptr && first_->next != nullptr; }
  /// Takes out the one that `value` finds the most in, of the first `looks_max` behind the front;
  /// nullptr when it finds nothing in any of them.
  template <class Value>
  RankFiber* take_best(std::size_t looks_max, Value value) {
    RankFiber *best = nullptr, *before_best = nullptr;
    std::uint64_t most = 0;
    for (RankFiber* before = first_; before != nullptr && before->next != nullptr && looks_max > 0;
         before = before->next, --looks_max) {
      const std::uint64_t found = value(*before->next);
      if (found <= most) continue;
      most = found;
      best = before->next;
      before_best = before;
    }
    if (best == nullptr) return nullptr;
    before_best->next = best->next;
    if (last_ == best) last_ = before_best;
    return best;
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
