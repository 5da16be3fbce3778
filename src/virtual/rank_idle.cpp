// What a process does when none of its ranks is ready: it lets those look again of whom a bell may
// have been missed, takes in what the network brings, asks for ranks of others, and sleeps.
#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "base/clock.hpp"
#include "base/interleaving.hpp"
#include "base/runtime.hpp"
#include "net/network.hpp"
#include "virtual/rank_scheduler.hpp"
#include "wait/bell.hpp"
#include "wait/give_way.hpp"
#include "wait/processes.hpp"
#include "wait/wait.hpp"

namespace armature::fibers {
namespace {

using State = RankFiber::State;

// So often those who have just begun to wait look again before the barrier, which costs more.
constexpr std::uint32_t looks_before_barrier = 200;
constexpr std::uint32_t looks_before_barrier_shared = 4;
constexpr std::uint32_t looks_where_wanted = 100;
constexpr std::size_t looks_at_once_max = 8;
constexpr std::uint64_t yield_ns = 200'000;
constexpr std::uint64_t yield_ns_shared = 50'000;
constexpr std::uint64_t yield_ns_far = 1'000'000;  // there and back takes longer
constexpr long nap_min_ns = 50'000, nap_max_ns = 1'000'000, sleep_max_ns = 100'000'000;
// Of those that have waited long, so many look at a time whether those waited for are still there.
constexpr std::size_t looks_of_sleepers = 1000;

void pause() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#endif
}

}  // namespace

void RankScheduler::look_for_deaths() {
  const std::uint32_t deaths = mapping_.header().deaths.load(std::memory_order_acquire);
  if (std::exchange(deaths_seen_, deaths) != deaths) look_again(hosted_.size());
}

/// So many of those that wait look at their condition, and at whom they wait for.
void RankScheduler::look_again(std::size_t ranks) {
  if (hosted_.empty()) return;
  for (std::size_t i = std::min(ranks, hosted_.size()); i > 0; --i) {
    RankFiber& fiber = *hosted_[look_turn_++ % hosted_.size()];
    const bool is_aside =
        fiber.state == State::waits && fiber.slot->asleep.load(std::memory_order_relaxed) != 0;
    fiber.has_waited_long = fiber.state == State::waits || fiber.state == State::polls;
    if (is_aside && !fiber.is_announced) set_ready(fiber);
  }
}

/// From the barrier on everybody sees that they wait; once they have looked again they may rest.
void RankScheduler::look_at_announced(Barrier barrier) {
  base::let_others_act();
  if (barrier == Barrier::passed) wait::barrier_of_sleepers();
  looking_.swap(announced_);
  for (RankFiber* fiber : looking_) {
    fiber->is_announced = false;
    fiber->is_sure = barrier == Barrier::passed;
    if (fiber->state == State::waits) set_ready(*fiber);
  }
  looking_.clear();
}

/// A short pause; whether it looks again then: not for ever, nor where others want its core.
bool RankScheduler::linger(bool shared) const {
  const bool is_far = net::network() != nullptr;
  const std::uint64_t patience_ns = shared ? yield_ns_shared : is_far ? yield_ns_far : yield_ns;
  if (now_ns_ - idle_since_ns_ >= patience_ns) return false;
  if (wait::core_is_wanted()) return !shared && idle_rounds_ < looks_where_wanted;
  // What comes from another node may be brought by a thread that has no core yet.
  if (!shared && (!is_far || idle_rounds_ % 16 != 15)) return pause(), true;
  wait::yield();
  return !wait::core_is_wanted();
}

void RankScheduler::idle() {
  const bool shared = crowded_;
  now_ns_ = base::now_ns();
  if (++idle_rounds_ == 1) {
    idle_since_ns_ = now_ns_;
    nap_ns_ = nap_min_ns;
  }
  look_for_deaths();
  // What comes makes ranks ready, and more may come.
  if (net::Network* const net = net::network()) {
    if (!shared && !wait::core_is_wanted())
      (void)net->stop_ears();  // until a rank has more to do than to look
    if (net->try_poll()) {
      idle_rounds_ = 0;
      return;
    }
  }
  if (balances_) ask_for_ranks();
  while (RankFiber* poller = pollers_.pop()) set_ready(*poller);
  if (!announced_.empty()) {
    const std::uint32_t looks = shared ? looks_before_barrier_shared : looks_before_barrier;
    const bool soon = idle_rounds_ < looks && announced_.size() <= looks_at_once_max;
    return look_at_announced(soon ? Barrier::not_yet : Barrier::passed);
  }
  if (left_behind_.give_back(now_ns_, nodes::LeftBehind::Pace::as_nobody_runs)) return;
  if (!linger(shared)) return sleep();
  base::let_others_act();
}

namespace {
struct Rest {
  std::size_t turn = 0;
};
}  // namespace

void RankScheduler::sleep() {
  const bool polls = !ready_.empty();
  // One rank each time gives back what it has freed and not used again.
  if (!hosted_.empty()) hosted_[base::state<Rest>().turn++ % hosted_.size()]->space().rest();
  doze(polls ? Until::nap_is_over : Until::woken, times_woken_, polls ? nap_ns_ : sleep_max_ns);
  nap_ns_ = std::min(nap_ns_ * 2, nap_max_ns);
  if (!polls && home_.awake.load(std::memory_order_relaxed) == 0) look_again(looks_of_sleepers);
}

void RankScheduler::doze(Until /*until*/, std::uint32_t times, long timeout_ns) {
  wait::sleep(home_, times, timeout_ns);
}

}  // namespace armature::fibers
