#include "wait/biased_mutex.hpp"

#include <atomic>
#include <memory>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "space/control.hpp"
#include "wait/notifier.hpp"

namespace armature::wait {
namespace {

void make_notifiers_work() {
  const auto job = std::make_unique<space::ControlHeader>();
  job->here.processes = 1;
  prepare_notifiers(*job);
}

TEST(BiasedMutex, is_its_owners_until_another_thread_asks) {
  make_notifiers_work();
  if (!notifiers_work()) return;  // then it is shared
  BiasedMutex mutex;
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(BiasedMutex::Lock(mutex, true).is_the_owners());
  EXPECT_FALSE(mutex.is_shared());
  std::thread([&] { EXPECT_FALSE(BiasedMutex::Lock(mutex, false).is_the_owners()); }).join();
  EXPECT_TRUE(mutex.is_shared());
  EXPECT_FALSE(BiasedMutex::Lock(mutex, true).is_the_owners());
}

TEST(BiasedMutex, whoever_asks_first_waits_for_an_owner_that_is_inside) {
  make_notifiers_work();
  BiasedMutex mutex;
  std::atomic<bool> is_inside = false, ends = false;
  std::thread other;
  {
    const BiasedMutex::Lock lock(mutex, true);
    other = std::thread([&] {
      const BiasedMutex::Lock of_other(mutex, false);
      is_inside = true;
      while (!ends) std::this_thread::yield();
    });
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    EXPECT_FALSE(is_inside);
  }
  while (!is_inside) std::this_thread::yield();
  ends = true;
  const BiasedMutex::Lock lock(mutex, true);
  other.join();
}

// The other threads ask for the first time while the owner goes in and out without a pause, in many
// rounds, so that they meet everywhere.
TEST(BiasedMutex, one_is_inside_at_a_time_also_when_the_second_comes) {
  make_notifiers_work();
  for (int round = 0; round < 300; ++round) {
    BiasedMutex mutex;
    long count = 0;  // no atomic: the mutex is what guards it
    constexpr int of_owner = 3000, of_other = 50;
    const auto add = [&](bool is_owner, int times) {
      for (int i = 0; i < times; ++i) {
        const BiasedMutex::Lock lock(mutex, is_owner);
        ++count;
      }
    };
    std::vector<std::thread> others;
    for (int i = 0; i < 2; ++i) others.emplace_back([&] { add(false, of_other); });
    add(true, of_owner);
    for (std::thread& other : others) other.join();
    ASSERT_EQ(count, of_owner + 2 * of_other);
  }
}

}  // namespace
}  // namespace armature::wait
