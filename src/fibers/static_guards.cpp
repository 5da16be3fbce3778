// The first rank that comes to a function's static initialises it, and others wait until that is
// over. The static is the process's, so the rank that initialises it stays there meanwhile. Ranks
// that wait may move: in the other process they look at the static anew.
//
// Only ranks, which take turns on one thread, use the list of those that are being initialised.
#include "fibers/static_guards.hpp"

#include <sys/single_threaded.h>

#include <algorithm>
#include <atomic>
#include <vector>

#include "base/fail.hpp"
#include "base/process_memory.hpp"
#include "base/runtime.hpp"
#include "fibers/rank_fiber.hpp"
#include "wait/rank_context.hpp"
#include "wait/wait.hpp"

namespace armature::fibers {
namespace {

using Guard = __cxxabiv1::__guard;

struct Held {
  Guard* guard;
  int rank;
};

struct Guards {
  std::vector<Held> held;  // by the ranks of this process
  interpose::StaticGuards of_library;
};
std::vector<Held>& held() { return base::state<Guards>().held; }
interpose::StaticGuards& of_library() { return base::state<Guards>().of_library; }

/// The rank that initialises it; -1: none.
int holder_of(const Guard* guard) {
  const auto found = std::ranges::find(held(), guard, &Held::guard);
  return found == held().end() ? -1 : found->rank;
}

/// Whether anybody does, a thread that is no rank included. In the C++ library's layout.
bool is_being_initialised(Guard* guard) {
  constexpr int pending = 0x100;
  const std::atomic_ref<int> word(*reinterpret_cast<int*>(guard));
  return (word.load(std::memory_order_acquire) & pending) != 0;
}

/// A rank that comes back to what it initialises would wait for itself. With more than one thread
/// the C++ library, whose exception cannot be thrown from outside, would sleep.
int complain_of_recursion(Guard* guard) {
  if (__libc_single_threaded != 0) return of_library().acquire(guard);
  base::fail(Errc::misuse,
             "recursive_init_error: the initialiser of a function's static has come to that static "
             "again");
}

int acquire(Guard* guard) {
  // A thread of the program's own sleeps, as anywhere.
  if (!wait::runs_rank()) return of_library().acquire(guard);
  wait::RankContext* const me = wait::current_rank();
  if (holder_of(guard) == me->space.me()) return complain_of_recursion(guard);
  // Looks once more after the wait: others may have had their turns since it was over, and this may
  // be another process.
  while (is_being_initialised(guard)) {
    wait::WaitFor wait{.what = space::Awaiting::initialiser,
                       .peer = holder_of(guard),
                       .object = guard,
                       .is_notified = false,
                       .call = "initialiser of a static"};
    wait::wait_until(wait, [guard] { return !is_being_initialised(guard); });
  }
  if (of_library().acquire(guard) == 0) return 0;
  const base::ProcessMemory kept;
  held().push_back({guard, me->space.me()});
  ++me->held_here;
  return 1;
}

/// Called when the rank does not hold it any more.
void let_go(const Guard* guard) {
  if (!wait::runs_rank()) return;
  const base::ProcessMemory kept;
  if (std::erase_if(held(), [&](const Held& one) { return one.guard == guard; }) != 0)
    --wait::current_rank()->held_here;
}

void release(Guard* guard) {
  let_go(guard);
  of_library().release(guard);
}

void abort(Guard* guard) {
  let_go(guard);
  of_library().abort(guard);
}

}  // namespace

void take_static_guards(const interpose::MallocLibrary& library) {
  of_library() = library.exchange_static_guards({acquire, release, abort});
}

void abandon_static_guards(const space::Mapping& mapping, int process) {
  if (mapping.header().is_one_process()) return;  // of a simulation, where none is lost
  std::erase_if(held(), [&](const Held& one) {
    const RankFiber& fiber = RankFiber::of(mapping, one.rank);
    const bool still = fiber.slot->process.load(std::memory_order_relaxed) == process &&
                       fiber.context != nullptr && fiber.context->held_here != 0;
    if (!still) of_library().abort(one.guard);
    return !still;
  });
}

}  // namespace armature::fibers
