#pragma once

#include <cstddef>
#include <cstdint>

#include "progress/rank_context.hpp"
#include "space/address_space.hpp"
#include "space/rank_heap.hpp"
#include "virtual/exceptions.hpp"
#include "virtual/switch_stack.hpp"

namespace armature::fibers {

/// What a virtual rank does from its first to its last instruction. Called on its own stack.
struct Life {
  void (*live)(int rank, void* argument) = nullptr;
  void* argument = nullptr;
};

/// A virtual rank: a fiber whose stack lies at the upper end of its band, with this record on top.
/// So whatever runs the rank next finds all of it there. Used by the process that hosts the rank.
struct RankFiber {
  /// `waits`: put aside until its bell rings; `polls`: for what no bell tells.
  /// `moves`: on its way to another process.
  enum class State : std::uint8_t { ready, running, waits, polls, moves, through };

  RankFiber(const space::Mapping& mapping, int the_rank);
  RankFiber(const RankFiber&) = delete;
  RankFiber& operator=(const RankFiber&) = delete;

  /// Where the record of a rank lies.
  static RankFiber& of(const space::Mapping& mapping, int rank);
  /// Makes it, ready to live; `file` holds its band.
  static RankFiber& make(const space::Mapping& mapping, int file, int rank, Life life);
  /// Its memory for others. The rank takes it along.
  [[nodiscard]] space::AddressSpace& space();
  /// In this process: whoever leaves the stack at its end is told so.
  void guard_stack(const space::Mapping& mapping) const;

  const int rank;
  space::RankSlot* const slot;
  State state = State::ready;
  bool is_sure = false;       // everybody sees that it waits, since a barrier
  bool is_announced = false;  // in the list of those for whom that barrier is still to come
  bool has_waited_long = false;
  int status = 0;             // that it has ended with
  std::uint64_t cost_ns = 0;  // of its turns lately, where time is measured
  std::size_t place = 0;      // among those that its process hosts
  RankFiber* next = nullptr;  // in the queue that it is in
  // Where moves are traced: which process it has left last, and when.
  int left = -1;
  std::uint64_t left_ns = 0;

  // While it does not run:
  LeftStack inside = nullptr;
  progress::RankContext* context = nullptr;
  ExceptionState exceptions;
  int error_number = 0;

  Life life;
  space::RankHeap* heap = nullptr;  // nullptr where malloc knows no ranks
  alignas(space::AddressSpace) std::byte space_memory[sizeof(space::AddressSpace)];
};

/// First in, first out.
class RankQueue {
 public:
  [[nodiscard]] bool empty() const { return first_ == nullptr; }
  [[nodiscard]] bool has_several() const { return first_ != nullptr && first_->next != nullptr; }
  /// Takes out the one that `value` finds the most in, of the first `looks_max` behind the front;
  /// nullptr when it finds nothing in any of them.
  template <class Value>
  RankFiber* take_best(std::size_t looks_max, Value value) {
    RankFiber *best = nullptr, *before_best = nullptr;
    std::uint64_t most = 0;
    for (RankFiber* before = first_; before != nullptr && before->next != nullptr && looks_max > 0;
         before = before->next, --looks_max) {
      const std::uint64_t found = value(*before->next);
      if (found <= most) continue;
      most = found;
      best = before->next;
      before_best = before;
    }
    if (best == nullptr) return nullptr;
    before_best->next = best->next;
    if (last_ == best) last_ = before_best;
    return best;
  }
  void push(RankFiber& fiber) {
    fiber.next = nullptr;
    (first_ == nullptr ? first_ : last_->next) = &fiber;
    last_ = &fiber;
  }
  /// nullptr when it is empty.
  RankFiber* pop() {
    RankFiber* const front = first_;
    if (front != nullptr) first_ = front->next;
    return front;
  }

 private:
  RankFiber* first_ = nullptr;
  RankFiber* last_ = nullptr;
};

}  // namespace armature::fibers
