#pragma once

#include <mutex>
#include <unordered_map>

#include "armature/detail/export.hpp"
#include "armature/rank.hpp"

// Memory that a virtual rank allocates lies in the rank's own segment and moves with the rank. A
// layer's table of the process must not move: its memory is the process's, and the layer's service
// packs and unpacks a rank's part of it (layer/service.hpp).

namespace armature::layer {

/// Makes allocations of the calling thread the process's, whichever rank runs, while it lives. No
/// other call of this library may be made meanwhile.
class ARMATURE_API ProcessMemory {
 public:
  ProcessMemory();
  ProcessMemory(const ProcessMemory&) = delete;
  ProcessMemory& operator=(const ProcessMemory&) = delete;
  ~ProcessMemory();

 private:
  void* before_;
};

/// A State for each rank of which this process keeps one: in the process's memory, made by State()
/// when it is first used. Any thread may call; one at a time is let in.
template <class State>
class StateOfRanks {
 public:
  StateOfRanks() = default;
  StateOfRanks(const StateOfRanks&) = delete;
  StateOfRanks& operator=(const StateOfRanks&) = delete;
  ~StateOfRanks() = default;

  /// Calls change(State&) and returns its result, which must own no memory of the state's. `change`
  /// calls nothing of this library.
  template <class Change>
  auto with(Rank rank, Change&& change) {
    const ProcessMemory memory;
    const std::lock_guard<std::mutex> locked(mutex_);
    return change(states_[rank]);
  }
  /// Whether there is one; with() makes it.
  [[nodiscard]] bool has(Rank rank) const {
    const std::lock_guard<std::mutex> locked(mutex_);
    return states_.contains(rank);
  }
  /// Forgets the rank's value, if there is one.
  void forget(Rank rank) {
    const ProcessMemory memory;
    const std::lock_guard<std::mutex> locked(mutex_);
    states_.erase(rank);
  }

 private:
  mutable std::mutex mutex_;
  std::unordered_map<int, State> states_;
};

}  // namespace armature::layer
