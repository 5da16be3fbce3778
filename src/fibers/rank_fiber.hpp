#pragma once

#include <cstddef>
#include <cstdint>

#include "fibers/exceptions.hpp"
#include "fibers/own_program.hpp"
#include "fibers/switch_stack.hpp"
#include "races/races.hpp"
#include "space/address_space.hpp"
#include "space/rank_heap.hpp"
#include "wait/rank_context.hpp"

namespace armature::fibers {

/// The body of a virtual rank, from its first to its last instruction. Called on its own stack.
struct Life {
  void (*live)(int rank, void* argument) = nullptr;
  void* argument = nullptr;
};

inline constexpr int priority_max = 3;  // and the least is as far below 0

struct Gathering;

/// A virtual rank: a fiber whose stack lies at the upper end of its segment, with this record on
/// top. So whatever runs the rank next finds all of it there. Used by the process that hosts the
/// rank.
struct alignas(64) RankFiber {
  /// `waits`: put aside until it is notified; `polls`: for what nobody notifies it of.
  /// `moves`: on its way to another process.
  enum class State : std::uint8_t { ready, running, waits, polls, moves, finished };

  RankFiber(const space::Mapping& mapping, int the_rank);
  RankFiber(const RankFiber&) = delete;
  RankFiber& operator=(const RankFiber&) = delete;

  /// Finds the record of a rank.
  static RankFiber& of(const space::Mapping& mapping, int rank);
  /// Makes it, ready to live; `file` holds its segment, and `entry` is what its stack begins with.
  struct New {
    int file, rank;
    Life life;
    void (*entry)(boost::context::detail::transfer_t from);
    bool has_heap;  // for what the rank allocates
  };
  static RankFiber& make(const space::Mapping& mapping, const New& what);
  /// The rank's memory as others see it. The rank takes it along.
  [[nodiscard]] space::AddressSpace& space();
  /// Something has come for it that is more urgent than it is itself.
  [[nodiscard]] bool is_urgent() const {
    return slot->urgency.load(std::memory_order_relaxed) > urgency_of(priority);
  }
  /// Nobody notifies it from now on, but for who is about to.
  void be_awake() {
    using space::ParkState;
    std::uint32_t waits = ParkState::waits;
    if (slot->asleep.load(std::memory_order_relaxed) == ParkState::awake) return;
    slot->asleep.compare_exchange_strong(waits, ParkState::awake, std::memory_order_acquire);
    waiting.is_sure = false;
  }
  /// The tie that keeps it in its process; none before it begins and after its end.
  [[nodiscard]] space::Tie tie() const {
    if (packed.has_no_room) return space::Tie::no_room;
    return context != nullptr && state != State::finished ? context->tie() : space::Tie::none;
  }
  /// The urgency as slots have it, where 0 is none.
  [[nodiscard]] static std::uint32_t urgency_of(int priority) {
    return static_cast<std::uint32_t>(priority + priority_max + 1);
  }
  /// Arranges what this process needs to run it: guards the stack, so that a program that leaves
  /// it at its end is told so, and maps the code of its copy of the program.
  void arrange_process(const space::Mapping& mapping) const;
  /// This process, which may have had no rank before, looks at the rank's accesses, too.
  void look_for_races() const {
    if (looked_at_in != nullptr) races::look_in(*looked_at_in);
  }

  /// How far its wait is.
  struct Waiting {
    Gathering* gathering = nullptr;  // those with whom it waits for a word
    std::size_t place = 0;           // among them
    bool is_sure = false;            // everybody sees that it waits, since a barrier
    bool is_announced = false;       // in the list of those for whom that barrier is still to come
    bool looks = false;              // whether it is over, in the rank's next turn
    bool is_long : 1 = false;        // time to see whether those waited for are still there
    bool was_gathered : 1 = false;   // when another rank handed its turn over
    bool stays_sure : 1 = false;     // at its end: it is for a word, as the next is likely to be
    int giver = -1;                  // the rank whose turn it has (wait/handoff.hpp); -1: its own
  };
  /// Kept by services of it (rank_services.hpp), while it is on its way or is quiescent.
  struct Packed {
    std::byte* first = nullptr;
    bool has_no_room = false;  // for that, when it was last to be packed
    std::size_t bytes = 0;     // at `first`
  };
  /// Its turns that are not told, where turns are traced: in each it has only looked, and waits on.
  struct Looks {
    std::uint32_t wait = 0;  // the number of the wait record at the end of its last turn
    std::uint32_t untold = 0;
  };
  /// The process that it has left last, and when, where moves are traced.
  struct Left {
    int process = -1;
    std::uint64_t ns = 0;
  };
  struct Traced {
    Left left;
    Looks looks;
  };

  // The first two lines are all that a switch, a wait and a move touch of the record. They come
  // from memory where ranks are many, and from the other process where the rank has moved.
  const int rank;
  State state = State::ready;
  std::int8_t priority = 0;
  space::RankSlot* const slot;
  LeftStack inside = nullptr;  // valid while it does not run, as the next two are
  wait::RankContext* context = nullptr;
  ExceptionState exceptions;
  space::RankHeap* heap = nullptr;  // nullptr where malloc knows no ranks
  RankFiber* next = nullptr;        // in the queue that it is in

  Waiting waiting;
  std::size_t place = 0;      // among those that its process hosts
  std::uint64_t cost_ns = 0;  // of its turns lately, where time is measured
  int error_number = 0;       // valid while it does not run
  Packed packed;

  OwnProgram program;
  Traced traced;
  int status = 0;  // that it has ended with
  Life life;
  races::Region* looked_at_in = nullptr;  // where its accesses are; nullptr: nobody looks
  alignas(space::AddressSpace) std::byte space_memory[sizeof(space::AddressSpace)];
};
static_assert(offsetof(RankFiber, waiting) == 64 &&
              offsetof(RankFiber, packed) + offsetof(RankFiber::Packed, bytes) == 128);

}  // namespace armature::fibers
