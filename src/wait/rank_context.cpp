#include "wait/rank_context.hpp"

#include <atomic>

#include <fmt/format.h>

#include "base/fail.hpp"

namespace armature {

namespace detail {
__thread Sender* sender = nullptr;
}

namespace wait {
namespace {

// One load from a fixed place behind the thread pointer, no call. Looked at in this file only: code
// that keeps the variable's address over a switch to another thread's stack cannot come about.
[[gnu::tls_model("initial-exec")]] constinit thread_local RankContext* current = nullptr;

// Relaxed: set while no other thread calls.
constinit std::atomic<RankContext*> sole = nullptr;
constinit std::atomic<int> joining = -1;

int rank_for_messages() {
  const RankContext* context = current_rank();
  return context != nullptr ? static_cast<int>(context->space.me())
                            : joining.load(std::memory_order_relaxed);
}

}  // namespace

void RankContext::add(WorkSource& source) {
  WorkSource** place = &first_source_;
  while (*place != nullptr) place = &(*place)->next_;
  *place = &source;
}

void RankContext::remove(const WorkSource& source) {
  for (WorkSource** place = &first_source_; *place != nullptr; place = &(*place)->next_) {
    if (*place != &source) continue;
    *place = (*place)->next_;
    return;
  }
}

RankContext* current_rank() {
  return current != nullptr ? current : sole.load(std::memory_order_relaxed);
}

bool runs_rank() { return current != nullptr; }

const space::Mapping& mapping(const char* call) {
  const space::Mapping* of_process = space::Mapping::of_process();
  if (of_process == nullptr)
    base::fail(Errc::misuse,
               fmt::format("{}: called outside armature::run (or init .. finalize)", call));
  return *of_process;
}

RankContext& this_rank(const char* call) {
  RankContext* context = current_rank();
  if (context != nullptr) return *context;
  (void)mapping(call);
  base::fail(Errc::misuse,
             fmt::format("{}: called by a thread that runs no rank, in a process that hosts "
                         "several: only transfers may be made by any thread",
                         call));
}

void set_this_rank(RankContext* context) {
  current = context;
  armature::detail::sender = context == nullptr ? nullptr : context->sender;
}

RankContext* set_sole_rank(RankContext* context) {
  return sole.exchange(context, std::memory_order_relaxed);
}

void set_joining_rank(int rank) {
  joining.store(rank, std::memory_order_relaxed);
  base::set_message_rank(rank_for_messages);
}

}  // namespace wait
}  // namespace armature
