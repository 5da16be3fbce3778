#include "armature/notify.hpp"

#include "wait/notifier.hpp"
#include "wait/rank_context.hpp"
#include "wait/thread_call.hpp"
#include "wait/wait.hpp"

namespace armature {

std::uint64_t notify(Rank rank) {
  const wait::ThreadCall under_way("notify");
  const wait::RankContext& me = wait::this_rank("notify");
  me.space.require_rank(rank, "notify");
  auto& counter = me.space.head(rank).peer(me.space.me()).notified;
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

}  // namespace

std::uint64_t wait_notify(Rank from) {
  const wait::ThreadCall under_way("wait_notify");
  const wait::RankContext& me = wait::this_rank("wait_notify");
  me.space.require_rank(from, "wait_notify");
  space::PeerLine& line = me.space.head(me.space.me()).peer(from);
  wait::WaitFor wait{.what = space::Awaiting::notify,
                     .peer = from,
                     .object = &line,
                     .detail = line.consumed.load(std::memory_order_relaxed) + 1,
                     .call = "wait_notify"};
  std::uint64_t taken = 0;
  wait::wait_until(wait, [&] { return (taken = take_next(line, me.has_second_thread)) != 0; });
  return taken;
}

}  // namespace armature
