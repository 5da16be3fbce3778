#include "fibers/idle_loop.hpp"

#include <algorithm>
#include <atomic>
#include <utility>

#include "base/clock.hpp"
#include "base/interleaving.hpp"
#include "base/runtime.hpp"
#include "fibers/files_of_ranks.hpp"
#include "fibers/work_stealing.hpp"
#include "net/network.hpp"
#include "wait/processes.hpp"
#include "wait/running_rank.hpp"
#include "wait/wait.hpp"
#include "wait/yield.hpp"

namespace armature::fibers {
namespace {

using State = RankFiber::State;

// Ranks that have just begun to wait look again so often before the barrier, which costs more.
constexpr std::uint32_t looks_before_barrier = 200;
constexpr std::uint32_t looks_before_barrier_shared = 4;
constexpr std::uint32_t looks_where_wanted = 100;
constexpr std::size_t looks_at_once_max = 8;
// The clock takes as long as the rest of a short round, in which a rank may come.
constexpr std::uint32_t rounds_per_clock = 8;
constexpr std::uint64_t yield_ns = 200'000;
constexpr std::uint64_t yield_ns_shared = 50'000;
constexpr std::uint64_t yield_ns_remote = 1'000'000;  // there and back takes longer
constexpr long park_min_ns = 50'000, park_max_ns = 1'000'000, sleep_max_ns = 100'000'000;
// So many ranks that have waited long look at a time whether those waited for are still there.
constexpr std::size_t looks_of_sleepers = 1000;

void pause() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#endif
}

struct Rest {
  std::size_t turn = 0;
};

/// Whether something has come for a rank that waits, and that nobody may have told it of. One that
/// has not left its stack yet, for the first time, looks by itself.
bool has_work(const RankFiber& fiber) {
  if (fiber.context == nullptr) return true;
  wait::RankContext* const running = wait::running_rank();
  wait::set_this_rank(fiber.context);
  const bool has = fiber.context->has_work();
  wait::set_this_rank(running);
  return has;
}

}  // namespace

IdleLoop::IdleLoop(ProcessRanks& ranks, QuiesceBody& body, Sleeper& sleeper)
    : ranks_(ranks),
      body_(body),
      sleeper_(sleeper),
      deaths_seen_(ranks.host.mapping.header().gone.deaths.load(std::memory_order_acquire)) {}

void IdleLoop::begin_round() { times_woken_ = wait::times_woken(ranks_.host.slot); }

/// Makes them ready at once; whether there are any.
//
// A rank waits for a word after it has looked at it. So who has written the word since then has
// told this process after the last look here.
bool IdleLoop::look_at_words() {
  const std::uint32_t told = wait::times_woken(ranks_.host.slot);
  if (std::exchange(times_told_, told) == told) return false;
  words_turn_ = ranks_.queue.turns();
  const bool some = ranks_.gatherings.take_out([this](RankFiber& fiber) {
    if (fiber.state == State::waits) ranks_.queue.push(fiber);
  });
  if (some) end();
  return some;
}

void IdleLoop::look_for_deaths() {
  const std::uint32_t deaths =
      ranks_.host.mapping.header().gone.deaths.load(std::memory_order_acquire);
  if (std::exchange(deaths_seen_, deaths) != deaths) look_again(ranks_.residents.size());
}

/// Lets so many of those that wait look at their condition, and at whom they wait for.
void IdleLoop::look_again(std::size_t count) {
  const auto& all = ranks_.residents.all();
  if (all.empty()) return;
  for (std::size_t i = std::min(count, all.size()); i > 0; --i) {
    RankFiber& fiber = *all[look_turn_++ % all.size()];
    const bool is_aside =
        fiber.state == State::waits && fiber.slot->asleep.load(std::memory_order_relaxed) != 0;
    fiber.waiting.is_long = fiber.state == State::waits || fiber.state == State::polls;
    if (is_aside && !fiber.waiting.is_announced) ranks_.queue.push(fiber);
  }
}

void IdleLoop::look_at_announced(Barrier barrier) {
  base::let_others_act();
  if (barrier == Barrier::passed) wait::barrier_of_sleepers();
  ranks_.residents.take_announced([&](RankFiber& fiber) {
    fiber.waiting.is_sure = barrier == Barrier::passed;
    if (fiber.state != State::waits) return;
    // The process looks at the word of those that wait for one.
    if (fiber.waiting.gathering == nullptr || fiber.waiting.is_long || has_work(fiber))
      ranks_.queue.push(fiber);
    else if (barrier == Barrier::not_yet)
      ranks_.residents.announce(fiber);
  });
}

/// A short pause; whether it looks again then: not for ever, nor where others want its core.
bool IdleLoop::linger(bool shared) const {
  const bool is_far = net::network() != nullptr;
  const std::uint64_t patience_ns = shared ? yield_ns_shared : is_far ? yield_ns_remote : yield_ns;
  if (ranks_.clock.now_ns() - since_ns_ >= patience_ns) return false;
  if (wait::core_is_wanted()) return !shared && rounds_ < looks_where_wanted;
  // A thread that has no core yet may bring what comes from another node.
  if (!shared && (!is_far || rounds_ % 16 != 15)) return pause(), true;
  wait::yield();
  (void)ranks_.clock.look();
  return !wait::core_is_wanted();
}

void IdleLoop::idle() {
  const bool shared = ranks_.host.is_crowded;
  if (++rounds_ % rounds_per_clock == 1) (void)ranks_.clock.look();
  if (rounds_ == 1) {
    since_ns_ = ranks_.clock.now_ns();
    park_ns_ = park_min_ns;
  }
  look_for_deaths();
  if (look_at_words()) return;
  if (ranks_.wake_sleepers()) return end();
  // Records that come make ranks ready, and more may come.
  if (net::Network* const net = net::network()) {
    if (!shared && !wait::core_is_wanted())
      (void)net->thread().suppress();  // until a rank has more to do than to look
    if (net->try_poll()) {
      end();
      return;
    }
  }
  if (ranks_.host.balances) ask_for_ranks(ranks_, since_ns_);
  if (some_files_are_left()) close_files_left(ranks_.host);
  while (ranks_.queue.wake_poller()) {
  }
  if (const std::size_t announced = ranks_.residents.announced(); announced != 0) {
    const std::uint32_t looks = shared ? looks_before_barrier_shared : looks_before_barrier;
    const bool soon = rounds_ < looks && announced <= looks_at_once_max;
    return look_at_announced(soon ? Barrier::not_yet : Barrier::passed);
  }
  if (body_.give_back(ranks_.clock.now_ns(), QuiesceBody::Pace::as_nobody_runs)) return;
  if (!linger(shared)) return sleep();
  base::let_others_act();
}

void IdleLoop::sleep() {
  const bool polls = !ranks_.queue.empty();
  // One rank each time gives back memory that it has freed and not used again.
  const auto& all = ranks_.residents.all();
  if (!all.empty()) all[base::state<Rest>().turn++ % all.size()]->space().local().rest();
  const std::uint64_t begun_ns = ranks_.clock.look();
  const long long_ns = polls ? park_ns_ : sleep_max_ns;
  const long timeout_ns = ranks_.sleeping.shorten(long_ns, begun_ns);
  sleeper_.park(polls ? Sleeper::Until::timeout : Sleeper::Until::woken, times_woken_, timeout_ns);
  const std::uint64_t now_ns = ranks_.clock.look();
  park_ns_ = std::min(park_ns_ * 2, park_max_ns);
  if (polls || ranks_.host.slot.awake.load(std::memory_order_relaxed) != 0) return;
  // A process may wake up often because ranks sleep: that is no reason for those that wait.
  if (timeout_ns < long_ns && now_ns - looked_again_ns_ < sleep_max_ns) return;
  looked_again_ns_ = now_ns;
  look_again(looks_of_sleepers);
}

}  // namespace armature::fibers
