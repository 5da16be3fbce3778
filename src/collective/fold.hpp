#pragma once

#include <bit>

#include "collective/algorithms.hpp"

namespace armature::collective {

/// The members that take part where as many as a power of two are needed: of the first 2r members,
/// of r too many, each even one stands for itself and the next. So the order of the team is kept.
class Folded {
 public:
  explicit Folded(const Members& members)
      : me_(members.me),
        size_(static_cast<int>(std::bit_floor(static_cast<unsigned>(members.size)))),
        too_many_(members.size - size_) {}

  [[nodiscard]] int size() const { return size_; }
  /// Whether the caller is one of a pair, and if so, whether it does the work of both.
  [[nodiscard]] bool is_paired() const { return me_ < 2 * too_many_; }
  [[nodiscard]] bool takes_part() const { return !is_paired() || me_ % 2 == 0; }
  [[nodiscard]] int other_of_pair() const { return me_ ^ 1; }
  /// The caller's number among those that take part.
  [[nodiscard]] int number() const { return is_paired() ? me_ / 2 : me_ - too_many_; }
  [[nodiscard]] int member(int number) const {
    return number < too_many_ ? 2 * number : number + too_many_;
  }

 private:
  int me_, size_, too_many_;
};

}  // namespace armature::collective
