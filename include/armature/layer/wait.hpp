#pragma once

#include <cstdint>
#include <memory>
#include <type_traits>

#include "armature/detail/export.hpp"
#include "armature/rank.hpp"

// The wait of a layer for a condition of its own. Meanwhile the rank takes in what comes for it,
// and other ranks of its thread run. It notices the death of the rank that it waits for, and can
// tell what it waits for.

namespace armature::layer {

/// The description of a wait.
struct Waiting {
  /// Begins messages of errors. It lives as long as the wait.
  const char* call = "wait";
  /// A few words that go on "waits until": `armature inspect` and the report of a hang show the
  /// first 16 bytes. "signal changes", say.
  const char* until = "";
  /// The rank that makes it true, if that is known: its death, in a job that goes on after deaths,
  /// ends the wait, and so does its leaving the job.
  Rank on = Rank::none();
  /// Promises that the code that makes it true sends this rank a record or a message, or calls
  /// wake(). Otherwise the rank looks by itself, at least every millisecond.
  bool is_told = false;
};

namespace detail {
/// False when the time is over; `timeout_ns` of 0 is none.
ARMATURE_API bool wait_until(const Waiting& waiting, std::uint64_t timeout_ns,
                             bool (*holds)(void* condition), void* condition);

template <class Condition>
bool wait_until_holds(const Waiting& waiting, std::uint64_t timeout_ns, Condition& condition) {
  return wait_until(
      waiting, timeout_ns, [](void* asked) -> bool { return (*static_cast<Condition*>(asked))(); },
      const_cast<void*>(static_cast<const void*>(std::addressof(condition))));
}
}  // namespace detail

/// Returns once condition() is true; that is not asked again then. The condition must not wait. By
/// the rank's own thread. Throws Error(rank_lost) where `on` has died, and Error(misuse) where it
/// has left the job, in a handler, and outside run(). The job's own bounds hold as for every wait:
/// `armature run --timeout`, and its report of ranks that wait without end.
template <class Condition>
void wait_until(const Waiting& waiting, Condition&& condition) {
  (void)detail::wait_until_holds(waiting, 0, condition);
}
/// Gives up after so many nanoseconds by clock_ns(), more than 0: then it returns false.
template <class Condition>
[[nodiscard]] bool wait_until(const Waiting& waiting, std::uint64_t timeout_ns,
                              Condition&& condition) {
  return detail::wait_until_holds(waiting, timeout_ns, condition);
}

/// Has that rank look at what it waits for: after the store that makes it true. A rank on another
/// node looks when the put or atomic that makes it true has changed its memory: there this call
/// does nothing. Any thread of a process of the job. Throws Error(bad_rank).
ARMATURE_API void wake(Rank rank);

/// Takes in what has come for the calling rank, and lets others of its thread run: for calls that
/// look and do not wait. By the rank's own thread. Throws Error(misuse) elsewhere, and outside
/// run().
ARMATURE_API void progress();

}  // namespace armature::layer
