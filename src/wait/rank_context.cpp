#include "wait/rank_context.hpp"

#include <atomic>

#include <fmt/format.h>

#include "base/fail.hpp"
#include "base/runtime.hpp"
#include "wait/running_rank.hpp"

namespace armature {

namespace detail {
namespace {
constexpr Sender nobodys;
}
__thread Sender* sender = const_cast<Sender*>(&nobodys);
}  // namespace detail

namespace wait {
namespace {

struct OfThread {
  RankContext* rank = nullptr;
  RankContext* helped = nullptr;  // where it runs none
  int calls = 0;
  std::uint32_t number = 0;  // 0: not asked for yet
};
// One load from a fixed place behind the thread pointer, no call. Looked at in this file only: code
// that keeps the variable's address over a switch to another thread's stack cannot come about.
[[gnu::tls_model("initial-exec")]] constinit thread_local OfThread current;

struct Ranks {
  // Relaxed: set while no other thread calls.
  std::atomic<RankContext*> sole = nullptr;
  std::atomic<int> joining = -1;
  std::atomic<std::uint32_t> threads = 0;  // that have a number
};

int rank_for_messages() {
  const RankContext* context = current_rank();
  return context != nullptr ? static_cast<int>(context->space.me())
                            : base::state<Ranks>().joining.load(std::memory_order_relaxed);
}

}  // namespace

// Release: a method on the rank's second thread may wait, and go through the list, just then.
void RankContext::add(WorkSource& source) {
  WorkSource** place = &first_source_;
  while (*place != nullptr) place = &(*place)->next_;
  std::atomic_ref(*place).store(&source, std::memory_order_release);
}

void RankContext::remove(const WorkSource& source) {
  for (WorkSource** place = &first_source_; *place != nullptr; place = &(*place)->next_) {
    if (*place != &source) continue;
    *place = (*place)->next_;
    return;
  }
}

// Acquire: the rank's own thread may add one meanwhile.
void RankContext::publish() {
  const auto behind = [](WorkSource*& place) {
    return std::atomic_ref(place).load(std::memory_order_acquire);
  };
  for (WorkSource* source = behind(first_source_); source != nullptr;
       source = behind(source->next_))
    source->publish();
}

RankContext* current_rank() {
  if (current.rank != nullptr) return current.rank;
  if (current.helped != nullptr) return current.helped;
  const auto* const ranks = base::Runtime::here().find<Ranks>();  // also in signal handlers
  return ranks != nullptr ? ranks->sole.load(std::memory_order_relaxed) : nullptr;
}

bool runs_rank() { return current.rank != nullptr; }

RankContext* running_rank() { return current.rank; }

int& calls_of_thread() { return current.calls; }

std::uint32_t number_of_thread() {
  if (current.number == 0)
    current.number = base::state<Ranks>().threads.fetch_add(1, std::memory_order_relaxed) + 1;
  return current.number;
}

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
                         "several: such a thread may only put, get and do atomics. Let the thread "
                         "of the rank make this call, or give each rank a process (armature run "
                         "without --threads and --virtual)",
                         call));
}

void refuse_in_handler(const RankContext& me, const char* call) {
  if (me.handler.load(std::memory_order_relaxed) == number_of_thread())
    base::fail(Errc::misuse,
               fmt::format("{}: called in a layer's handler, which must not wait", call));
}

void require_turn(const RankContext& me, const char* call) {
  if (runs_rank() || !me.is_waiting.load(std::memory_order_relaxed)) return;
  base::fail(
      Errc::misuse,
      fmt::format("{}: called by a thread that the program has started, while the rank's own "
                  "thread waits: threads make this call in turns",
                  call));
}

void set_this_rank(RankContext* context) {
  current.rank = context;
  using armature::detail::nobodys, armature::detail::Sender;
  const bool has_one = context != nullptr && context->sender != nullptr;
  armature::detail::sender = has_one ? context->sender : const_cast<Sender*>(&nobodys);
}

HelpsRank::HelpsRank(RankContext& rank) { current.helped = &rank; }
HelpsRank::~HelpsRank() { current.helped = nullptr; }

RankContext* set_sole_rank(RankContext* context) {
  return base::state<Ranks>().sole.exchange(context, std::memory_order_relaxed);
}

void set_joining_rank(int rank) {
  base::state<Ranks>().joining.store(rank, std::memory_order_relaxed);
  base::set_message_rank(rank_for_messages);
}

}  // namespace wait
}  // namespace armature
