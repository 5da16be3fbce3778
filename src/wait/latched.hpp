#pragma once

#include "wait/rank_context.hpp"

namespace armature::wait {

/// A condition that stays true once it was found so: looking may take what was waited for (a lock),
/// so it must not be looked at again.
class Latched {
 public:
  Latched(bool (*ready)(void*), void* condition) : ready_(ready), condition_(condition) {}
  bool look() { return holds_ || (holds_ = ready_(condition_)); }
  /// Whether there is a reason to stay awake.
  static bool look_at(void* latched) {
    return static_cast<Latched*>(latched)->look() || this_rank("wait").has_work();
  }

 private:
  bool (*ready_)(void*);
  void* condition_;
  bool holds_ = false;
};

}  // namespace armature::wait
