#include <armature/armature.hpp>

#include "bench/rows.hpp"

// Waiting for a value: a signal there and one back, where both ranks wait for the other's at once.
// And a signal to a rank that has waited for so long that it sleeps.

namespace armature::bench {

namespace {

/// So long after the last signal a rank sleeps, also where it has yielded to others before.
constexpr double until_asleep_ns = 1e7;

}  // namespace

void waiting_rows(Stage& stage) {
  const int me = stage.world().rank(), other = 1 - me;
  const auto word_at = [&](int rank) {
    return (stage.heap_of(rank) + static_cast<std::ptrdiff_t>(counter_offset + 8192))
        .cast<void>()
        .cast<std::uint64_t>();
  };
  const auto theirs = word_at(other);
  std::uint64_t* const mine = word_at(me).address();
  limits::FutexWord& their_futex = stage.channel().futex_words[other];
  limits::FutexWord& my_futex = stage.channel().futex_words[me];
  std::uint64_t signals = 0;
  std::uint32_t words = 0;
  const auto tell = [&] { signal_add(theirs, 1); };
  const auto see = [&] { signal_wait_until(mine, Comparison::ge, ++signals); };
  const auto tell_by_futex = [&] { their_futex.tell(); };
  const auto see_by_futex = [&] { my_futex.see(++words); };
  stage.together(
      {"wait.value", 8}, [&] { me == 0 ? (tell(), see()) : (see(), tell()); },
      [&] { me == 0 ? (tell_by_futex(), see_by_futex()) : (see_by_futex(), tell_by_futex()); });
  stage.after_pauses(
      {"wait.value.asleep", 8}, until_asleep_ns, [&] { me == 0 ? tell() : see(); },
      [&] { me == 0 ? tell_by_futex() : see_by_futex(); });
}

}  // namespace armature::bench
