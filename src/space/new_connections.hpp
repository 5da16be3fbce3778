#pragma once

#include <atomic>
#include <cstdint>

namespace armature::space {

/// Those who have opened a ring to a rank, the last one first; each one's line names the one
/// before. So nobody looks at the lines of all others, most of which have never been written. Grows
/// only.
class NewConnections {
 public:
  /// By who has opened one. Release: its address is in place.
  void add(int rank, std::atomic<std::uint32_t>& before) {
    std::uint32_t last = last_.load(std::memory_order_relaxed);
    do {
      before.store(last, std::memory_order_relaxed);
    } while (!last_.compare_exchange_weak(last, static_cast<std::uint32_t>(rank) + 1,
                                          std::memory_order_release, std::memory_order_relaxed));
  }
  /// The number + 1 of who came last; 0: nobody has.
  [[nodiscard]] std::uint32_t last() const { return last_.load(std::memory_order_acquire); }
  /// While nobody runs: as in a checkpoint, whose lines are back already.
  void restore(std::uint32_t last) { last_.store(last, std::memory_order_relaxed); }

 private:
  std::atomic<std::uint32_t> last_{0};
};

}  // namespace armature::space
