#pragma once

#include <cstddef>
#include <utility>

#include "collective/schedule.hpp"

namespace armature::collective {

/// The combination, so far, of members that follow each other in the team. An operator writes its
/// result over its first operand. So the combination changes its place with what is put before it.
class Combination {
 public:
  /// Begins with what lies at `place`, which may be written over or not.
  Combination(Schedule& schedule, Place place, bool may_be_written, std::size_t bytes)
      : schedule_(schedule), place_(place), is_own_(may_be_written), bytes_(bytes) {}

  [[nodiscard]] Place place() const { return place_; }
  /// The place for what comes next; it holds nothing that is needed.
  [[nodiscard]] Place room() {
    if (!has_room_) room_ = schedule_.take_scratch(bytes_);
    has_room_ = true;
    return room_;
  }
  /// Puts the contents of room() before the combination.
  void prepend() {
    schedule_.combine(room_, place_, bytes_);
    std::swap(room_, place_);
    has_room_ = std::exchange(is_own_, true);
  }
  /// Puts the contents of room() behind it.
  void append() {
    if (!is_own_) {
      const Place own = schedule_.take_scratch(bytes_);
      schedule_.copy(own, place_, bytes_);
      place_ = own;
      is_own_ = true;
    }
    schedule_.combine(place_, room_, bytes_);
  }

 private:
  Schedule& schedule_;
  Place place_;
  bool is_own_;
  std::size_t bytes_;
  Place room_;
  bool has_room_ = false;
};

}  // namespace armature::collective
