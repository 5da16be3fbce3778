#pragma once

#include <utility>

#include "space/address_space.hpp"
#include "wait/notifier.hpp"

namespace armature::rmi {

/// The wake of a rank whose answer is awaited at once. It is kept back, since that rank may be
/// handed the caller's turn instead (wait/handoff.hpp). Threads that share an endpoint only read
/// it: none of them keeps a wake back.
class KeptWake {
 public:
  explicit KeptWake(space::AddressSpace& space) : space_(space) {}

  [[nodiscard]] bool keeps_one() const { return rank_ >= 0; }
  /// Keeps the next wake of that rank back, until one of the two below.
  void keep(int rank) {
    wake();
    rank_ = rank;
  }
  /// Forgets it; returns whether the rank was to be woken.
  [[nodiscard]] bool forget() {
    if (rank_ < 0) return false;
    rank_ = -1;
    return std::exchange(is_due_, false);
  }
  /// Keeps none back any more; wakes the rank, if it was to be woken.
  void wake() {
    const int rank = rank_;
    if (forget()) wait::notify(space_.slot(rank));
  }
  /// Wakes that rank, unless its wake is kept back.
  void wake(int rank) {
    if (rank == rank_)
      is_due_ = true;
    else
      wait::notify(space_.slot(rank));
  }

 private:
  space::AddressSpace& space_;
  int rank_ = -1;  // whose wake is kept back
  bool is_due_ = false;
};

}  // namespace armature::rmi
