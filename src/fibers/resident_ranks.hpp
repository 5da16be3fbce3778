#pragma once

#include <cstddef>
#include <vector>

#include "fibers/rank_fiber.hpp"
#include "space/mapping.hpp"

namespace armature::fibers {

/// The ranks that a process hosts, but for those that have finished. In no order.
class ResidentRanks {
 public:
  explicit ResidentRanks(const space::Mapping& mapping);

  [[nodiscard]] const std::vector<RankFiber*>& all() const { return all_; }
  [[nodiscard]] bool empty() const { return all_.empty(); }
  [[nodiscard]] std::size_t size() const { return all_.size(); }

  void add(RankFiber& fiber);
  /// Removes a rank that has finished.
  void remove(RankFiber& fiber);
  /// Forgets a rank that goes to another process.
  void forget(RankFiber& fiber);
  /// Empties the list: ranks are found anew.
  void clear();

  /// Notes that the rank's stack has a guard in this process.
  void note_guard(const RankFiber& fiber);
  /// Gives the rank's stack a guard where it has none.
  void guard(const RankFiber& fiber);

  /// Announces that the rank waits: not everybody sees it yet. It looks once more after the next
  /// barrier.
  void announce(RankFiber& fiber);
  [[nodiscard]] std::size_t announced() const { return announced_.size(); }
  /// f(fiber) for each of these, which are announced no more.
  template <class F>
  void take_announced(F&& f) {
    looking_.swap(announced_);
    for (RankFiber* const fiber : looking_) {
      fiber->waiting.is_announced = false;
      f(*fiber);
    }
    looking_.clear();
  }

 private:
  const space::Mapping& mapping_;
  std::vector<RankFiber*> all_;
  std::vector<RankFiber*> announced_;
  std::vector<RankFiber*> looking_;  // of those announced, while they are made ready
  std::vector<bool> guarded_;        // whose stacks have guards in this process
};

}  // namespace armature::fibers
