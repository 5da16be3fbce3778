#include "wait/thread_call.hpp"

#include <atomic>
#include <cstdint>
#include <ctime>

#include <fmt/format.h>

#include "base/fail.hpp"

namespace armature::wait {
namespace {

// Of the process. A call that begins counts itself and then looks whether calls have ended; who
// ends them says so and then looks at the count. All four are sequentially consistent, so at least
// one of the two sees the other: the call throws, or it is waited for.
constinit std::atomic<std::uint32_t> under_way = 0;
constinit std::atomic<bool> ended = false;

// Calls that one call of this thread makes belong to it. A thread that runs no rank never changes
// its stack, so the address of this stays good.
[[gnu::tls_model("initial-exec")]] constinit thread_local int depth = 0;

}  // namespace

void ThreadCall::begin(const char* call) {
  if (depth++ > 0) return;
  under_way.fetch_add(1, std::memory_order_seq_cst);
  if (!ended.load(std::memory_order_seq_cst)) return;
  end();
  base::fail(Errc::misuse,
             fmt::format("{}: called outside armature::run (or init .. finalize)", call));
}

// Release: who finds none under way may destroy what this one has used.
void ThreadCall::end() {
  if (--depth == 0) under_way.fetch_sub(1, std::memory_order_release);
}

bool ThreadCall::have_ended() { return ended.load(std::memory_order_acquire); }

void ThreadCall::end_all() {
  ended.store(true, std::memory_order_seq_cst);
  constexpr timespec nap{0, 50'000};
  while (under_way.load(std::memory_order_seq_cst) != 0) {
    if (Poller* const net = poller()) (void)net->try_poll();
    nanosleep(&nap, nullptr);
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
