#include "armature/notify.hpp"

#include "wait/cost_model.hpp"
#include "wait/notifier.hpp"
#include "wait/ordered.hpp"
#include "wait/rank_context.hpp"
#include "wait/recorded_links.hpp"
#include "wait/thread_call.hpp"
#include "wait/turn_of_looks.hpp"
#include "wait/wait.hpp"

namespace armature {

namespace {

/// In a simulation that has costs the notification travels behind the puts.
std::uint64_t notify_modelled(wait::CostModel& model, Rank rank, const wait::RankContext& me,
                              std::atomic<std::uint64_t>& counter) {
  std::uint64_t& sent = model.notified(me.space.me(), rank);
  const std::uint64_t count = ++sent;
  model.send(rank, sizeof count,
             [&counter, count] { counter.store(count, std::memory_order_release); });
  return count;
}

}  // namespace

std::uint64_t notify(Rank rank) {
  const wait::ThreadCall under_way("notify");
  const wait::RankContext& me = wait::this_rank("notify");
  me.space.require_rank(rank, "notify");
  auto& counter = me.space.head(rank).peer(me.space.me()).notified;
  wait::tell(rank, &counter, "notify");
  wait::record_link(rank, sizeof counter);
  if (wait::CostModel* const model = wait::CostModel::of_job(); model != nullptr) [[unlikely]]
    return notify_modelled(*model, rank, me, counter);
  // This rank alone writes it, by one thread or two. Release: the puts before are there when the
  // count is seen.
  std::uint64_t count = counter.load(std::memory_order_relaxed) + 1;
  if (me.has_second_thread) [[unlikely]]
    count = counter.fetch_add(1, std::memory_order_release) + 1;
  else
    counter.store(count, std::memory_order_release);
  wait::notify(me.space.slot(rank));
  return count;
}

namespace {

/// The next one that has come, for the caller alone; 0 when there is none. While a rank waits it
/// executes calls, which may wait for some too, and so may its second thread.
std::uint64_t take_next(space::PeerLine& line, bool has_second_thread) {
  std::uint64_t before = line.consumed.load(std::memory_order_relaxed);
  while (line.notified.load(std::memory_order_acquire) > before) {
    if (!has_second_thread) [[likely]] {
      line.consumed.store(before + 1, std::memory_order_relaxed);
      return before + 1;
    }
    if (line.consumed.compare_exchange_weak(before, before + 1, std::memory_order_relaxed))
      return before + 1;
  }
  return 0;
}

space::PeerLine& line_of(const wait::RankContext& me, Rank from, const char* call) {
  me.space.require_rank(from, call);
  return me.space.head(me.space.me()).peer(from);
}

/// The next one of any rank, from the `first` on.
Notification take_any(const wait::RankContext& me, int first) {
  const int ranks = me.space.ranks();
  for (int i = 0; i < ranks; ++i) {
    const int from = (first + i) % ranks;
    space::PeerLine& line = me.space.head(me.space.me()).peer(from);
    const std::uint64_t taken = take_next(line, me.has_second_thread);
    if (taken == 0) continue;
    wait::hear_of(&line.notified, sizeof line.notified);
    return {.from = Rank(from), .count = taken};
  }
  return {};
}

int first_of_any(const wait::RankContext& me) {
  return static_cast<int>(wait::turn_of_looks(me, static_cast<std::size_t>(me.space.ranks())));
}

/// Takes in what has come for a rank that has looked and found nothing.
void look_again_later(wait::RankContext& me) {
  if (wait::runs_rank()) me.deliver();
  wait::let_others_run();
}

}  // namespace

std::uint64_t wait_notify(Rank from) {
  const wait::ThreadCall under_way("wait_notify");
  const wait::RankContext& me = wait::this_rank("wait_notify");
  space::PeerLine& line = line_of(me, from, "wait_notify");
  wait::WaitFor wait{.what = space::Awaiting::notify,
                     .peer = from,
                     .object = &line,
                     .detail = line.consumed.load(std::memory_order_relaxed) + 1,
                     .call = "wait_notify"};
  std::uint64_t taken = 0;
  wait::wait_until(wait, [&] { return (taken = take_next(line, me.has_second_thread)) != 0; });
  wait::hear_of(&line.notified, sizeof line.notified);
  return taken;
}

std::uint64_t test_notify(Rank from) {
  const wait::ThreadCall under_way("test_notify");
  wait::RankContext& me = wait::this_rank("test_notify");
  space::PeerLine& line = line_of(me, from, "test_notify");
  const std::uint64_t taken = take_next(line, me.has_second_thread);
  if (taken == 0)
    look_again_later(me);
  else
    wait::hear_of(&line.notified, sizeof line.notified);
  return taken;
}

Notification wait_notify_any() {
  const wait::ThreadCall under_way("wait_notify_any");
  const wait::RankContext& me = wait::this_rank("wait_notify_any");
  const int first = first_of_any(me);
  wait::WaitFor wait{.what = space::Awaiting::notify, .call = "wait_notify_any"};
  Notification taken;
  wait::wait_until(wait, [&] { return bool(taken = take_any(me, first)); });
  return taken;
}

Notification test_notify_any() {
  const wait::ThreadCall under_way("test_notify_any");
  wait::RankContext& me = wait::this_rank("test_notify_any");
  const Notification taken = take_any(me, first_of_any(me));
  if (!taken) look_again_later(me);
  return taken;
}

}  // namespace armature
