#include <algorithm>
#include <atomic>
#include <chrono>

#include "rmi.hpp"

using namespace conformance;
using armature::notify;
using armature::put;
using armature::wait_notify;

namespace {
/// Counts for each pair of ranks, since there may be several in a process.
using Counts = std::vector<std::uint64_t>;
Counts per_pair() {
  return Counts(static_cast<std::size_t>(ranks()) * static_cast<std::size_t>(ranks()));
}
std::uint64_t& mine_with(Counts& counts, int rank) {
  return counts[static_cast<std::size_t>(me()) * static_cast<std::size_t>(ranks()) +
                static_cast<std::size_t>(rank)];
}

/// Counts go on from test to test: how often I have notified, and have waited for, each rank.
std::uint64_t& sent(int rank) {
  static Counts counts = per_pair();
  return mine_with(counts, rank);
}
std::uint64_t& awaited(int rank) {
  static Counts counts = per_pair();
  return mine_with(counts, rank);
}
/// Others may have counted before the first of these.
void expect_next(std::uint64_t& last, std::uint64_t count) {
  if (last == 0) last = count - 1;
  EXPECT_EQ(count, ++last);
}
void expect_notify(int rank) { expect_next(sent(rank), notify(rank)); }
void expect_wait(int rank) { expect_next(awaited(rank), wait_notify(rank)); }
}  // namespace

TEST(Notify, wait_notify_returns_once_for_each_notify) {
  for (int i = 0; i < 5; ++i) expect_notify(right());
  for (int i = 0; i < 5; ++i) expect_wait(left());
}

TEST(Notify, all_that_was_put_before_is_there) {
  auto piece = world().allocate<int>(1000);
  for (int round = 1; round <= 50; ++round) {
    put(piece.on(right()), std::vector<int>(1000, round));
    expect_notify(right());
    expect_wait(left());
    for (const std::size_t i : {0U, 500U, 999U}) ASSERT_EQ(piece[i], round);
    expect_notify(left());  // I have read it: the next may come
    expect_wait(right());
  }
  world().free(piece);
}

TEST(Notify, ranks_can_play_ping_pong) {
  if (ranks() < 2) GTEST_SKIP() << "needs 2 ranks";
  if (me() < 2) {
    for (int i = 0; i < 1000; ++i) {
      if (me() == 0) expect_notify(1);
      expect_wait(1 - me());
      if (me() == 1) expect_notify(0);
    }
  }
}

TEST(Notify, a_rank_may_notify_itself) {
  expect_notify(me());
  expect_notify(me());
  expect_wait(me());
  expect_wait(me());
}

TEST(Notify, notifications_of_different_ranks_are_counted_apart) {
  for (int rank = 0; rank < ranks(); ++rank)
    for (int i = 0; i <= me(); ++i) expect_notify(rank);
  for (int rank = ranks() - 1; rank >= 0; --rank)
    for (int i = 0; i <= rank; ++i) expect_wait(rank);
}

TEST(Notify, who_waits_long_enough_to_sleep_is_woken) {
  if (me() == 0) {
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    for (int rank = 0; rank < ranks(); ++rank) expect_notify(rank);
  }
  expect_wait(0);
}

TEST(Notify, a_notification_of_any_rank_is_taken_and_told_whose_it_is) {
  for (int rank = 0; rank < ranks(); ++rank)
    for (int i = 0; i <= me(); ++i) expect_notify(rank);
  const int all = ranks() * (ranks() + 1) / 2;
  std::vector<int> taken(static_cast<std::size_t>(ranks()), 0);
  for (int i = 0; i < all; ++i) {
    const armature::Notification one = armature::wait_notify_any();
    ASSERT_TRUE(one);
    expect_next(awaited(one.from), one.count);
    ++taken[static_cast<std::size_t>(static_cast<int>(one.from))];
  }
  for (int rank = 0; rank < ranks(); ++rank)
    EXPECT_EQ(taken[static_cast<std::size_t>(rank)], rank + 1);
  world().barrier();
  EXPECT_FALSE(armature::test_notify_any());
}

TEST(Notify, no_rank_is_passed_over_for_ever) {
  const int times = 8 * ranks();
  // Ranks of one node, so that all notifications are there after the barrier.
  const auto for_each_near = [](auto act) {
    for (int rank = 0; rank < ranks(); ++rank)
      if (armature::same_node(me(), rank)) act(rank);
  };
  for_each_near([&](int rank) {
    for (int i = 0; i < times; ++i) expect_notify(rank);
  });
  world().barrier();
  std::vector<int> taken(static_cast<std::size_t>(ranks()), 0);
  for (int i = 0; i < times; ++i) {
    const armature::Notification one = armature::wait_notify_any();
    expect_next(awaited(one.from), one.count);
    ++taken[static_cast<std::size_t>(static_cast<int>(one.from))];
  }
  for_each_near([&](int rank) {
    EXPECT_GT(taken[static_cast<std::size_t>(rank)], 0) << rank;
    for (int i = taken[static_cast<std::size_t>(rank)]; i < times; ++i) expect_wait(rank);
  });
  world().barrier();
}

TEST(Notify, a_test_takes_what_has_come_and_nothing_else) {
  EXPECT_EQ(armature::test_notify(left()), 0U);
  world().barrier();
  expect_notify(right());
  std::uint64_t count = 0;
  EXPECT_TRUE(eventually([&] { return (count = armature::test_notify(left())) != 0; }));
  expect_next(awaited(left()), count);
  EXPECT_EQ(armature::test_notify(left()), 0U);
  world().barrier();
}

namespace {

struct Busy {
  /// Called while its rank waits for a notification of its own.
  void notify_twice_and_wait() {
    for (int i = 0; i < 2; ++i) notify(me());
    awaited = wait_notify(me());
  }
  void notify_often(int times) {
    begins = true;
    for (int i = 0; i < times; ++i) notify(me());
    ends = true;
  }
  std::atomic<std::uint64_t> awaited = 0;
  std::atomic<bool> begins = false, ends = false;
};

}  // namespace

TEST(Notify, each_is_counted_once_though_a_method_waits_too) {
  armature::shared<Busy> busy(world());
  busy.async(me(), &Busy::notify_twice_and_wait);
  const std::uint64_t outer = wait_notify(me());
  EXPECT_TRUE(eventually([&] { return busy->awaited != 0; }));
  EXPECT_EQ(std::min(outer, busy->awaited.load()), awaited(me()) + 1);
  EXPECT_EQ(std::max(outer, busy->awaited.load()), awaited(me()) + 2);
  sent(me()) += 2;
  awaited(me()) += 2;
  armature::rmi_fence();
}

TEST(Notify, both_threads_of_a_rank_may_notify) {
  if (!calls_come_at_any_time()) GTEST_SKIP() << "needs a service thread";
  armature::shared<Busy> busy(world());
  constexpr int times = 100'000;
  if (left() == 0 || ranks() == 1) busy.async(0, &Busy::notify_often, times);
  if (me() == 0) {
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(20);
    while (!busy->begins && std::chrono::steady_clock::now() < end)
      std::this_thread::yield();  // in no call, so it is the other thread
    for (int i = 0; i < times; ++i) notify(me());
    EXPECT_TRUE(eventually([&] { return busy->ends.load(); }));
    sent(me()) += 2 * times;
    expect_notify(me());
    for (int i = 0; i <= 2 * times; ++i) expect_wait(me());
  }
  armature::rmi_fence();
}

TEST(Notify, ranks_there_are_not_are_errors) {
  for (const int rank : {-1, ranks(), 1 << 30}) {
    expect_error(armature::Errc::bad_rank, {"notify"}, [&] { notify(rank); });
    expect_error(armature::Errc::bad_rank, {"wait_notify"}, [&] { wait_notify(rank); });
    expect_error(armature::Errc::bad_rank, {"test_notify"},
                 [&] { (void)armature::test_notify(rank); });
  }
}
