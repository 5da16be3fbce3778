#pragma once

#include <cstdint>
#include <vector>

#include "fibers/rank_fiber.hpp"

namespace armature::fibers {

/// The ranks of a process that sleep until a time of base::now_ns(), the one that is due first in
/// front. They are in no queue.
class SleepingRanks {
 public:
  [[nodiscard]] bool empty() const { return all_.empty(); }
  void add(RankFiber& fiber, std::uint64_t until_ns);
  /// The rank that has slept longer than it wanted to, which sleeps no more; nullptr: none has.
  RankFiber* take_due(std::uint64_t now_ns);
  /// How long the process may sleep at most, so that it is awake when the first one is due.
  [[nodiscard]] long shorten(long timeout_ns, std::uint64_t now_ns) const;
  void clear() { all_.clear(); }

 private:
  struct One {
    std::uint64_t until_ns;
    RankFiber* fiber;
  };
  static bool is_later(const One& a, const One& b) { return a.until_ns > b.until_ns; }

  std::vector<One> all_;  // a heap
};

}  // namespace armature::fibers
