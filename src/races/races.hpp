#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>

#include "base/runtime.hpp"
#include "races/region.hpp"

// The look for accesses of two ranks to the same memory that nothing orders, though one at least
// changes it. Rooms that carry out accesses, or that order ranks, tell it of each. It looks with
// `armature run --check`, and in the simulator; else each of these calls is a load and a branch, on
// paths that are not inlined into programs.
//
// An order that it is not told of would make it refuse what is right. So what is not known exactly
// is taken for more: who has waited has heard all that the others had done.

namespace armature::races {

/// The memory of the calling process's node; nullptr: nobody looks.
struct Looking {
  static constexpr std::size_t runtime_place = 7;
  // Ranks that are threads set it at once, to the same. Release: the memory is ready for it.
  std::atomic<Region*> region = nullptr;
  // Variables of this process that lie in a rank's segment, too.
  std::uintptr_t variables = 0, in_segment = 0;
  std::size_t variables_bytes = 0;
};
[[nodiscard]] inline Region* region() {
  if (!base::has_extras()) [[likely]]
    return nullptr;
  // The state is made when the process begins to look.
  const Looking* const looking = base::Runtime::here().find<Looking>();
  return looking == nullptr ? nullptr : looking->region.load(std::memory_order_acquire);
}
[[nodiscard]] inline bool looks() { return region() != nullptr; }

/// Prepares memory of Region::bytes(ranks), which is zero. By one rank, before any opens it.
void prepare(void* memory, std::uint32_t ranks);
/// The calling rank's process looks from now on, in that memory.
void open(void* memory, int me);

/// The calling process, to which a rank has come that is looked at in that memory, looks there too.
void look_in(Region& region);

/// Nobody looks any more: all processes call it.
void close();

struct Access {
  int target = 0;  // whose memory it is
  const void* begin = nullptr;
  std::size_t bytes = 0;
  Kind kind = Kind::read;
  const char* call = "";
  bool is_later = false;     // a put that is to be waited for
  bool is_complete = false;  // a put that needs no fence: what follows it says that it is there
  // The return address of the call, or all of its place, where that is known; else looked for.
  const void* place = nullptr;
  const Site* site = nullptr;
};
/// Throws Error(misuse) that names both accesses where an earlier one is not ordered with it.
/// Returns the number of a put.
std::uint32_t access(int me, const Access& access);
/// An access that reads a word, or an atomic, has seen it by now: it may have seen what others have
/// changed since `access` told of it.
void has_seen(int me, const Access& access);
/// Variables of this process, which is one rank, lie in its segment, too. Calls know either place.
void add_variables(const void* begin, std::size_t bytes, const void* in_segment);

/// It has waited for a non-blocking put.
void awaited(int me, std::uint32_t put);
/// Its puts are complete, at one rank or at all (-1).
void fence(int me, int target);

/// It tells by that word what it has done: who hears of the word knows.
void tell(int me, int target, const void* word, const char* call);
/// It has seen the word as others have left it by puts, atomics or `tell`.
void hear_of(int me, const void* word, std::size_t bytes);
/// A record or message of that rank has come, or an answer; -1: of any.
void hear_from(int me, int other);

/// It enters a round of a team, in which barriers complete puts, and has left it.
void enter(int me, std::uint64_t team, std::uint64_t round, bool completes_puts);
void leave(int me, std::uint64_t team, std::uint64_t round, std::span<const std::int32_t> members);

/// From now on puts of a rank to one other are not ordered by themselves, as in OpenSHMEM.
void order_strictly();
/// Whether the rank's barriers complete no puts from now on; calls may nest.
void keep_puts(int me, bool keeps);

}  // namespace armature::races
