#pragma once

#include <cerrno>
#include <cstddef>
#include <cstring>
#include <memory>

#include "fibers/exceptions.hpp"
#include "fibers/rank_fiber.hpp"
#include "space/mapping.hpp"
#include "space/rank_heap.hpp"
#include "wait/rank_context.hpp"

namespace armature::fibers {

/// The stacks between which the thread of a process jumps: those of its ranks, and the thread's
/// own. What the thread keeps of who runs, the C++ runtime's exceptions, errno and which heap
/// malloc takes from, goes with each. So do
/// thread-local variables of the program, where each rank has its own.
class Stacks {
 public:
  /// The thread's own counts as running.
  explicit Stacks(const space::Mapping& mapping);
  Stacks(const Stacks&) = delete;
  Stacks& operator=(const Stacks&) = delete;
  ~Stacks();

  [[nodiscard]] RankFiber& own() { return own_; }
  [[nodiscard]] RankFiber& running() const { return *running_; }

  /// Called before the jump from one to the other.
  void leave(RankFiber& me) {
    me.context = wait::current_rank();
    me.exceptions = *exceptions_;
    me.error_number = *error_number_;
    keep_thread_locals(me);
    left_ = &me;
  }
  void enter(RankFiber& fiber) {
    fiber.state = RankFiber::State::running;
    running_ = &fiber;
    wait::set_this_rank(fiber.context);
    heap_ = fiber.heap;
    *exceptions_ = fiber.exceptions;
    *error_number_ = fiber.error_number;
    restore_thread_locals(fiber);
  }
  // Thread-local variables of the program, where each rank has a copy of it:
  void keep_thread_locals(RankFiber& me) const {
    if (thread_locals_.bytes != 0) [[unlikely]]
      std::memcpy(me.program.thread_locals, thread_locals_.here, thread_locals_.bytes);
  }
  void restore_thread_locals(const RankFiber& me) const {
    if (thread_locals_.bytes != 0) [[unlikely]]
      std::memcpy(thread_locals_.here, me.program.thread_locals, thread_locals_.bytes);
  }
  /// Called behind the jump: only now has the other one, which is returned, left its stack.
  RankFiber& note_left(LeftStack inside) {
    left_->inside = inside;
    return *left_;
  }

 private:
  RankFiber own_;
  RankFiber* running_;
  RankFiber* left_ = nullptr;   // last
  space::RankHeap*& heap_;      // of malloc
  ExceptionState* exceptions_;  // of this thread
  int* error_number_;           // of this thread
  struct ThreadLocals {
    std::byte* here = nullptr;  // of this thread
    std::size_t bytes = 0;      // 0: ranks share them, or there are none
    std::unique_ptr<std::byte[]> own;
  };
  ThreadLocals thread_locals_;  // of the program, where each rank has a copy
};

}  // namespace armature::fibers
