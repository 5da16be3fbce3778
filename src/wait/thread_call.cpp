#include "wait/thread_call.hpp"

#include <atomic>
#include <cstdint>
#include <ctime>

#include <fmt/format.h>

#include "base/fail.hpp"
#include "base/runtime.hpp"

namespace armature::wait {
namespace {

/// A call that begins counts itself and then looks whether calls have ended; who ends them says so
/// and then looks at the count. All four are sequentially consistent, so at least one of the two
/// sees the other: the call throws, or it is waited for.
struct Calls {
  std::atomic<std::uint32_t> under_way = 0;
  std::atomic<bool> ended = false;
};
Calls& calls() { return base::state<Calls>(); }

}  // namespace

bool ThreadCall::try_begin() noexcept {
  // Calls that one call of this thread makes belong to it.
  if (calls_of_thread()++ > 0) return true;
  calls().under_way.fetch_add(1, std::memory_order_seq_cst);
  if (!calls().ended.load(std::memory_order_seq_cst)) return true;
  end();
  return false;
}

void ThreadCall::begin(const char* call) {
  if (try_begin()) return;
  base::fail(Errc::misuse,
             fmt::format("{}: this process has left its job, and a thread that the program has "
                         "started goes on: end such threads before the rank's body returns, or "
                         "finalize is called",
                         call));
}

// Release: who finds none under way may destroy what this one has used.
void ThreadCall::end() {
  if (--calls_of_thread() == 0) calls().under_way.fetch_sub(1, std::memory_order_release);
}

bool ThreadCall::have_ended() { return calls().ended.load(std::memory_order_acquire); }

void ThreadCall::end_all() {
  calls().ended.store(true, std::memory_order_seq_cst);
  constexpr timespec interval{0, 50'000};
  while (calls().under_way.load(std::memory_order_seq_cst) != 0) {
    if (Poller* const net = poller()) (void)net->try_poll();
    nanosleep(&interval, nullptr);
  }
}

void require_in_job(const char* call) {
  if (runs_rank() || !ThreadCall::have_ended()) return;
  base::fail(Errc::misuse,
             fmt::format("{}: this process has left its job while a thread that the program has "
                         "started was in this call: end such threads before the rank's body "
                         "returns, or finalize is called",
                         call));
}

}  // namespace armature::wait
