#pragma once

#include "wait/wait_for.hpp"

namespace armature::wait {

/// The further threads of control of a rank, its modules: while one waits, others go on. Declared
/// here, where ranks wait; implemented by a higher floor.
class Modules {
 public:
  Modules() = default;
  Modules(const Modules&) = delete;
  Modules& operator=(const Modules&) = delete;
  virtual ~Modules() = default;

  /// Whether the wait that begins is one of the rank's threads of control: a method that waits is
  /// not, since it runs inside a wait of one of them, and neither is a continuation, which runs
  /// alone.
  [[nodiscard]] virtual bool may_switch() const = 0;
  /// Returns when the condition holds, as wait_until does. Others of the rank run meanwhile.
  virtual void wait(WaitFor& wait, bool (*ready)(void* condition), void* condition) = 0;
  /// Lets another of the rank run that can.
  virtual void yield() = 0;
};

}  // namespace armature::wait
