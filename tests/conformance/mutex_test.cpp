#include <algorithm>
#include <atomic>
#include <chrono>
#include <thread>
#include <vector>

#include "conformance.hpp"

using namespace conformance;
using armature::Errc;
using armature::get;
using armature::put;

TEST(Mutex, critical_sections_over_puts_and_gets_exclude_each_other) {
  auto counter = world().allocate<std::int64_t>(1);
  auto mutexes = world().create_mutexes(1);
  for (int i = 0; i < 500; ++i) {
    mutexes.lock(0, 0);
    put(counter.on(0), get(counter.on(0)) + 1);
    mutexes.unlock(0, 0);
  }
  world().barrier();
  EXPECT_EQ(get(counter.on(0)), 500 * ranks());
  world().destroy_mutexes(mutexes);
  EXPECT_FALSE(mutexes);
  world().free(counter);
}

// The mutex, the counters and who uses them are on different nodes, where there are several.
TEST(Mutex, unlock_completes_the_puts_before_it) {
  auto counters = world().allocate<std::int64_t>(1);
  auto mutexes = world().create_mutexes(1);
  const int keeper = ranks() - 1;
  for (int i = 0; i < 300; ++i) {
    mutexes.lock(keeper, 0);
    for (const int at : {0, ranks() / 2}) put(counters.on(at), get(counters.on(at)) + 1);
    mutexes.unlock(keeper, 0);
  }
  world().barrier();
  EXPECT_EQ(get(counters.on(0)), 300 * ranks() * (ranks() > 1 ? 1 : 2));
  EXPECT_EQ(get(counters.on(ranks() / 2)), 300 * ranks() * (ranks() > 1 ? 1 : 2));
  world().destroy_mutexes(mutexes);
  world().free(counters);
}

TEST(Mutex, critical_sections_over_plain_loads_and_stores_exclude_each_other) {
  struct Account {
    std::int64_t balance;
    std::int64_t bookings;
  };
  auto accounts = world().allocate<Account>(1);
  auto mutexes = world().create_mutexes(1);
  for (int i = 0; i < 300; ++i) {
    const int at = (me() + i) % ranks();
    const auto held = mutexes.guard(at, 0);
    if (armature::same_node(me(), at)) {
      Account& account = *accounts.on(at).direct();
      account.balance += i;
      account.bookings += 1;
    } else {
      const Account account = armature::get(accounts.on(at));
      armature::put(accounts.on(at), Account{account.balance + i, account.bookings + 1});
    }
  }
  world().barrier();
  EXPECT_EQ(allreduce(world(), accounts[0].bookings), 300 * ranks());
  EXPECT_EQ(allreduce(world(), accounts[0].balance), 300 * 299 / 2 * ranks());
  world().destroy_mutexes(mutexes);
  world().free(accounts);
}

TEST(Mutex, a_set_has_as_many_at_each_member_as_it_asked_for) {
  auto mutexes = world().create_mutexes(me() * 2);
  for (int rank = 0; rank < ranks(); ++rank) EXPECT_EQ(mutexes.count(rank), rank * 2);
  for (int rank = 0; rank < ranks(); ++rank) {
    for (int index = 0; index < rank * 2; ++index) {
      mutexes.lock(rank, index);
      mutexes.unlock(rank, index);
    }
  }
  world().destroy_mutexes(mutexes);
}

TEST(Mutex, mutexes_of_a_set_are_independent) {
  auto mutexes = world().create_mutexes(3);
  mutexes.lock(me(), 0);
  mutexes.lock(me(), 2);
  world().barrier();
  mutexes.lock(right(), 1);  // nobody else holds that one
  mutexes.unlock(right(), 1);
  mutexes.unlock(me(), 0);
  mutexes.unlock(me(), 2);
  world().destroy_mutexes(mutexes);
}

TEST(Mutex, try_lock_takes_a_free_one_and_refuses_a_held_one) {
  auto mutexes = world().create_mutexes(1);
  ASSERT_TRUE(mutexes.try_lock(me(), 0));
  world().barrier();
  if (ranks() > 1) {
    EXPECT_FALSE(mutexes.try_lock(right(), 0));
  }
  world().barrier();
  mutexes.unlock(me(), 0);
  world().barrier();
  EXPECT_TRUE(mutexes.try_lock(right(), 0));
  mutexes.unlock(right(), 0);
  world().destroy_mutexes(mutexes);
}

TEST(Mutex, contended_try_lock_excludes_too) {
  auto counter = world().allocate<std::int64_t>(1);
  auto mutexes = world().create_mutexes(1);
  for (int i = 0; i < 200; ++i) {
    ASSERT_TRUE(eventually([&] { return mutexes.try_lock(0, 0); }));
    put(counter.on(0), get(counter.on(0)) + 1);
    world().fence(0);
    mutexes.unlock(0, 0);
  }
  world().barrier();
  EXPECT_EQ(get(counter.on(0)), 200 * ranks());
  world().destroy_mutexes(mutexes);
  world().free(counter);
}

TEST(Mutex, a_plain_loop_of_tries_lets_the_holder_go_on) {
  auto mutexes = world().create_mutexes(1);
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(20);
  for (int i = 0; i < 3; ++i) {
    while (!mutexes.try_lock(0, 0)) ASSERT_LT(std::chrono::steady_clock::now(), deadline);
    armature::yield();
    mutexes.unlock(0, 0);
    world().barrier();
  }
  world().destroy_mutexes(mutexes);
}

TEST(Mutex, who_waits_long_enough_to_sleep_is_woken) {
  auto mutexes = world().create_mutexes(1);
  for (int holder = 0; holder < std::min(ranks(), 3); ++holder) {
    if (me() == holder) mutexes.lock(0, 0);
    world().barrier();
    if (me() == holder) {
      std::this_thread::sleep_for(std::chrono::milliseconds(50));
      mutexes.unlock(0, 0);
    } else {
      mutexes.lock(0, 0);
      mutexes.unlock(0, 0);
    }
    world().barrier();
  }
  world().destroy_mutexes(mutexes);
}

TEST(Mutex, locking_twice_is_misuse) {
  auto mutexes = world().create_mutexes(1);
  mutexes.lock(me(), 0);
  expect_error(Errc::misuse, {"lock"}, [&] { mutexes.lock(me(), 0); });
  EXPECT_FALSE(mutexes.try_lock(me(), 0));
  mutexes.unlock(me(), 0);
  world().destroy_mutexes(mutexes);
}

TEST(Mutex, unlocking_what_is_not_held_is_misuse) {
  auto mutexes = world().create_mutexes(1);
  expect_error(Errc::misuse, {"unlock"}, [&] { mutexes.unlock(me(), 0); });
  world().barrier();
  if (me() == 0) mutexes.lock(0, 0);
  world().barrier();
  if (me() != 0) expect_error(Errc::misuse, {"unlock"}, [&] { mutexes.unlock(0, 0); });
  world().barrier();
  if (me() == 0) mutexes.unlock(0, 0);
  world().destroy_mutexes(mutexes);
}

TEST(Mutex, mutexes_that_are_not_there_are_errors) {
  auto mutexes = world().create_mutexes(2);
  for (const int index : {-1, 2, 1 << 30}) {
    expect_error(Errc::bad_argument, {"lock"}, [&] { mutexes.lock(0, index); });
    expect_error(Errc::bad_argument, {"try_lock"}, [&] { (void)mutexes.try_lock(0, index); });
    expect_error(Errc::bad_argument, {"unlock"}, [&] { mutexes.unlock(0, index); });
  }
  for (const int rank : {-1, ranks(), 1 << 30}) {
    expect_error(Errc::bad_rank, {"lock"}, [&] { mutexes.lock(rank, 0); });
    expect_error(Errc::bad_rank, {"unlock"}, [&] { mutexes.unlock(rank, 0); });
    EXPECT_TRUE(caught([&] { (void)mutexes.count(rank); }));
  }
  world().destroy_mutexes(mutexes);
}

TEST(Mutex, mutexes_that_were_destroyed_are_misuse) {
  auto mutexes = world().create_mutexes(1);
  auto copy = mutexes;
  world().destroy_mutexes(mutexes);
  expect_error(Errc::misuse, {"lock"}, [&] { copy.lock(0, 0); });
  expect_error(Errc::misuse, {"lock"}, [&] { mutexes.lock(0, 0); });
  expect_error(Errc::misuse, {"destroy_mutexes"}, [&] { world().destroy_mutexes(copy); });
  armature::Mutexes never;
  EXPECT_FALSE(never);
  expect_error(Errc::misuse, {"unlock"}, [&] { never.unlock(0, 0); });
}

TEST(Mutex, a_negative_count_is_an_error_everywhere) {
  expect_error(Errc::bad_argument, {"create_mutexes"}, [] { (void)world().create_mutexes(-1); });
  auto mutexes = world().create_mutexes(1);  // all is as before
  world().destroy_mutexes(mutexes);
}

TEST(Mutex, many_sets_can_live_and_die) {
  for (int round = 0; round < 50; ++round) {
    auto first = world().create_mutexes(10);
    auto second = world().create_mutexes(1);
    first.lock(right(), 9);
    second.lock(me(), 0);
    first.unlock(right(), 9);
    second.unlock(me(), 0);
    world().destroy_mutexes(first);
    world().destroy_mutexes(second);
  }
}

// Threads exclude each other as ranks do: the mutex and the counter are on different nodes, where
// there are several.
TEST(Mutex, threads_of_a_rank_exclude_each_other) {
  if (armature::rank_kind() != armature::RankKind::process)
    GTEST_SKIP() << "threads of a process that hosts several ranks are of no rank";
  auto counter = world().allocate<std::int64_t>(1);
  auto mutexes = world().create_mutexes(1);
  constexpr int rounds = 200, threads = 3;
  const auto add = [&, at = counter.on(ranks() - 1)] {
    for (int i = 0; i < rounds; ++i) {
      mutexes.lock(0, 0);
      put(at, get(at) + 1);
      mutexes.unlock(0, 0);
    }
  };
  {
    std::vector<std::jthread> others;
    for (int i = 1; i < threads; ++i) others.emplace_back(add);
    add();
  }
  world().barrier();
  EXPECT_EQ(get(counter.on(ranks() - 1)), rounds * threads * ranks());
  world().destroy_mutexes(mutexes);
  world().free(counter);
}

TEST(Mutex, what_one_thread_holds_another_one_waits_for_and_may_give_back) {
  if (armature::rank_kind() != armature::RankKind::process)
    GTEST_SKIP() << "threads of a process that hosts several ranks are of no rank";
  auto mutexes = world().create_mutexes(2);
  mutexes.lock(right(), 0);
  std::atomic<bool> asks = false;
  std::jthread other([&, at = right()] {
    EXPECT_FALSE(mutexes.try_lock(at, 0));
    mutexes.lock(at, 1);
    expect_error(Errc::misuse, {"lock", "already"}, [&] { mutexes.lock(at, 1); });
    asks = true;
    mutexes.lock(at, 0);  // the rank's thread gives it back, perhaps before it is asked for
    mutexes.unlock(at, 0);
  });
  EXPECT_TRUE(eventually([&] { return asks.load(); }));
  std::this_thread::sleep_for(std::chrono::milliseconds(5));
  mutexes.unlock(right(), 0);
  other.join();
  mutexes.unlock(right(), 1);
  world().barrier();
  world().destroy_mutexes(mutexes);
}
