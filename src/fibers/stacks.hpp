#pragma once

#include <cerrno>
#include <cstddef>
#include <cstring>
#include <memory>
#include <span>

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
  // attributes of a process. Never inlined: a switch of other ranks would save registers for it.
  [[gnu::noinline]] void keep_own(RankFiber& me) const {
    std::byte* kept = me.program.thread_locals;
    for (const std::span<std::byte> one : thread_locals_) {
      std::memcpy(kept, one.data(), one.size());
      kept += one.size();
    }
    if (me.program.attributes != nullptr) attributes_.leave(*me.program.attributes);
  }
  [[gnu::noinline]] void restore_own(const RankFiber& me) const {
    const std::byte* kept = me.program.thread_locals;
    for (const std::span<std::byte> one : thread_locals_) {
      std::memcpy(one.data(), kept, one.size());
      kept += one.size();
    }
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
  // This thread's, of the images of which each rank has a copy; none where ranks share them.
  std::span<const std::span<std::byte>> thread_locals_;
  std::unique_ptr<std::byte[]> own_thread_locals_;
  HostAttributes attributes_;
  const bool ranks_have_copies_;
  bool ranks_have_own_;
};

}  // namespace armature::fibers
