#include "armature/wait_until.hpp"

#include <array>
#include <atomic>
#include <chrono>
#include <thread>

#include <gtest/gtest.h>

#include "armature/run.hpp"
#include "space/address_space.hpp"
#include "wait/awaited_value.hpp"
#include "wait/notifier.hpp"
#include "wait/wait.hpp"

namespace armature::wait {
namespace {

using space::Awaiting;

class WaitUntilTest : public ::testing::Test {
 protected:
  WaitUntilTest() { (void)init(); }
  static space::RankSlot& slot() { return space::Mapping::of_process()->slot(0); }
  /// Returns once the rank has looked for values and says so.
  static void await_wait() {
    while (slot().wait.sequence.load() % 2 != 0 || slot().wait.awaiting.load() != Awaiting::value)
      std::this_thread::yield();
  }
  static void await_sleep() {
    while (slot().asleep.load() == 0) std::this_thread::yield();
  }
};

TEST_F(WaitUntilTest, all_counts_a_word_that_held_once) {
  std::array<long, 2> words = {1, 0};
  std::atomic<bool> is_over = false, is_late = false;
  std::thread other([&] {
    await_wait();
    __atomic_store_n(&words[0], 0, __ATOMIC_RELEASE);
    __atomic_store_n(&words[1], 1, __ATOMIC_RELEASE);
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(20);
    while (!is_over && !(is_late = std::chrono::steady_clock::now() > end))
      std::this_thread::yield();
    __atomic_store_n(&words[0], 1, __ATOMIC_RELEASE);
  });
  wait_until_all(words, Comparison::eq, 1);
  is_over = true;
  other.join();
  EXPECT_FALSE(is_late) << "it waits until both hold at one time";
}

TEST_F(WaitUntilTest, what_is_waited_for_can_be_read_from_outside) {
  long word = 0;
  AwaitedValue how;
  std::uint64_t object = 0, value = 0;
  std::thread other([&] {
    await_wait();
    const space::WaitRecord& record = slot().wait;
    how = AwaitedValue::unpacked(record.team.load());
    object = record.object.load();
    value = record.detail.load();
    __atomic_store_n(&word, -1, __ATOMIC_RELEASE);
  });
  wait_until(&word, Comparison::lt, 0);
  other.join();
  EXPECT_EQ(object, reinterpret_cast<std::uint64_t>(&word));
  EXPECT_EQ(value, 0U);
  EXPECT_EQ(how.comparison, Comparison::lt);
  EXPECT_EQ(how.of, AwaitedValue::Of::one);
  EXPECT_TRUE(how.is_signed);
  EXPECT_EQ(slot().wait.awaiting.load(), Awaiting::nothing);
}

TEST_F(WaitUntilTest, one_that_only_tells_of_values_leaves_other_sleepers_alone) {
  std::atomic<bool> flag = false;
  std::atomic<std::uint32_t> before = 0, after = 0;
  std::thread other([&] {
    await_sleep();
    before = slot().notifications.load();
    notify_of_value(slot());
    after = slot().notifications.load();
    flag = true;
    notify(slot());
  });
  WaitFor wait{.what = Awaiting::notify};
  wait_until(wait, [&] { return flag.load(); });
  other.join();
  EXPECT_EQ(after, before);
}

TEST_F(WaitUntilTest, one_that_tells_of_values_wakes_who_waits_for_a_condition) {
  std::atomic<bool> flag = false;
  std::atomic<std::uint32_t> before = 0, after = 0;
  std::thread other([&] {
    do {
      await_sleep();
      before = slot().notifications.load();
      notify_of_value(slot());
      after = slot().notifications.load();
    } while (after == before);
    flag = true;
    notify(slot());
  });
  WaitFor wait{.what = Awaiting::condition};
  wait_until(wait, [&] { return flag.load(); });
  other.join();
  EXPECT_EQ(after, before + 1);
}

TEST_F(WaitUntilTest, one_that_tells_of_values_wakes_who_waits_for_one) {
  long word = 0;
  std::atomic<std::uint32_t> before = 0, after = 0;
  std::thread other([&] {
    await_wait();
    do {
      await_sleep();
      before = slot().notifications.load();
      notify_of_value(slot());
      after = slot().notifications.load();
    } while (after == before);  // it may look by itself just then
    __atomic_store_n(&word, 1, __ATOMIC_RELEASE);
  });
  wait_until(&word, Comparison::eq, 1);
  other.join();
  EXPECT_EQ(after, before + 1);
}

}  // namespace
}  // namespace armature::wait
