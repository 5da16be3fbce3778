#pragma once

#include <unistd.h>

namespace armature::base {

/// Tells this process from its forks. They have its memory and its handlers, but must not act for
/// it. May be asked in signal handlers.
class OwnProcess {
 public:
  void remember() { pid_ = getpid(); }
  /// False before `remember`, too.
  [[nodiscard]] bool is_this() const { return pid_ == getpid(); }

 private:
  pid_t pid_ = 0;
};

}  // namespace armature::base
