#pragma once

#include <cstdint>
#include <map>

namespace armature::net {

/// The one-sided operations of the engine that ranks of this process have begun, until they are
/// over: no acknowledgement tells of them. Under the links' lock.
class EngineParts {
 public:
  /// An operation of that rank begins (-1: of a thread that runs none). Returns its number.
  [[nodiscard]] std::uint64_t begin(int rank) {
    open_.emplace(++begun_, rank);
    return begun_;
  }
  void end(std::uint64_t number) { open_.erase(number); }

  [[nodiscard]] bool any() const { return !open_.empty(); }
  [[nodiscard]] bool any_of(int rank) const {
    for (const auto& [number, by] : open_)
      if (by == rank) return true;
    return false;
  }
  /// The number of the last that has begun, and whether any up to a number is under way.
  [[nodiscard]] std::uint64_t begun() const { return begun_; }
  [[nodiscard]] bool any_until(std::uint64_t number) const {
    return any() && open_.begin()->first <= number;
  }

 private:
  std::uint64_t begun_ = 0;
  std::map<std::uint64_t, int> open_;  // ranks by number
};

}  // namespace armature::net
