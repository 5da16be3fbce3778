#pragma once

#include <array>
#include <cstddef>

// Rooms above keep a pointer each of a rank, of which the rank's context knows nothing. A process's
// ranks, and those of all processes that a rank may go to, have it in the same place.

namespace armature::wait {

/// The pointers of one rank.
class ContextSlots {
 public:
  static constexpr std::size_t count = 8;

 private:
  template <class T>
  friend class ContextSlot;
  std::array<void*, count> kept_{};
};

/// One of the pointers, of the room that declares it. `number` is that room's own:
/// world/context_slots.cpp holds that no two rooms have the same.
template <class T>
class ContextSlot {
 public:
  explicit consteval ContextSlot(std::size_t number) : number_(number) {
    if (number >= ContextSlots::count) throw "a context has fewer slots";
  }
  [[nodiscard]] constexpr std::size_t number() const { return number_; }

  /// nullptr: the rank has none.
  [[nodiscard]] T* in(const ContextSlots& slots) const {
    return static_cast<T*>(slots.kept_[number_]);
  }
  /// Keeps a pointer that stays the caller's, who takes it out again before it ends.
  void put(ContextSlots& slots, T* kept) const { slots.kept_[number_] = kept; }

 private:
  std::size_t number_;
};

}  // namespace armature::wait
