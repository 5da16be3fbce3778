#pragma once

#include <cerrno>
#include <cstddef>

#include "fibers/exceptions.hpp"
#include "fibers/switch_stack.hpp"

namespace armature::fibers {

/// One of several threads of control of a rank: the stack that it was left on, and what goes with
/// it. The rank's scheduler knows nothing of it: whichever of them runs is the rank.
class Flow {
 public:
  /// That of the rank itself, which runs.
  Flow() = default;
  /// A new one, whose stack is [low, low + bytes): it begins with body(argument), which ends with
  /// leave_for().
  Flow(std::byte* low, std::size_t bytes, void (*body)(void*), void* argument);
  Flow(const Flow&) = delete;
  Flow& operator=(const Flow&) = delete;

  /// Goes on with the other one. Returns when somebody goes on with this.
  void leave_for(Flow& other);

 private:
  static void begin(boost::context::detail::transfer_t from);

  LeftStack inside_ = nullptr;  // while it does not run, as the others are
  ExceptionState exceptions_;
  int error_number_ = 0;
  int calls_ = 0;
  void (*body_)(void*) = nullptr;
  void* argument_ = nullptr;
};

}  // namespace armature::fibers
