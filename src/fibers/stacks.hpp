#pragma once

#include <cerrno>
#include <cstddef>
#include <cstring>
#include <memory>

#include "fibers/exceptions.hpp"
#include "fibers/own_attributes.hpp"
#include "fibers/rank_fiber.hpp"
#include "space/mapping.hpp"
#include "space/rank_heap.hpp"
#include "wait/rank_context.hpp"

namespace armature::fibers {

/// The stacks between which the thread of a process jumps: those of its ranks, and the thread's
/// own. What the thread keeps of who runs, the C++ runtime's exceptions, errno and which heap
/// malloc takes from, goes with each. So does
/// what ranks have of their own where each has a copy of the program.
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
    if (ranks_have_own_) [[unlikely]]
      keep_own(me);
    left_ = &me;
  }
  void enter(RankFiber& fiber) {
    fiber.state = RankFiber::State::running;
    running_ = &fiber;
    wait::set_this_rank(fiber.context);
    heap_ = fiber.heap;
    *exceptions_ = fiber.exceptions;
    *error_number_ = fiber.error_number;
    if (ranks_have_own_) [[unlikely]]
      restore_own(fiber);
  }
  /// Tells of a rank that runs here from now on: it may have attributes of its own.
  void note(const RankFiber& fiber) {
    if (ranks_have_copies_ && fiber.program.attributes != nullptr) use_attributes();
  }
  /// Tells that a rank is about to have some.
  void use_attributes() {
    attributes_.begin_use();
    ranks_have_own_ = true;
  }
  // Ranks with a copy of the program have these of their own: thread-local variables, and
  // attributes of a process.
  void keep_own(RankFiber& me) const {
    if (thread_locals_.bytes != 0)
      std::memcpy(me.program.thread_locals, thread_locals_.here, thread_locals_.bytes);
    if (me.program.attributes != nullptr) attributes_.leave(*me.program.attributes);
  }
  void restore_own(const RankFiber& me) const {
    if (thread_locals_.bytes != 0)
      std::memcpy(thread_locals_.here, me.program.thread_locals, thread_locals_.bytes);
    if (me.program.attributes != nullptr) attributes_.enter(*me.program.attributes);
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
  HostAttributes attributes_;
  const bool ranks_have_copies_;
  bool ranks_have_own_;
};

}  // namespace armature::fibers
