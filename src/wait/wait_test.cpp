#include "wait/wait.hpp"

#include <chrono>
#include <thread>

#include <gtest/gtest.h>

#include "armature/run.hpp"
#include "space/address_space.hpp"
#include "wait/lock.hpp"
#include "wait/notifier.hpp"
#include "wait/oversubscription.hpp"
#include "wait/poller.hpp"
#include "wait/rank_context.hpp"

namespace armature::wait {
namespace {

using space::Awaiting;

class WaitTest : public ::testing::Test {
 protected:
  WaitTest() { (void)init(); }
  static space::RankSlot& slot() { return space::Mapping::of_process()->slot(0); }
};

TEST_F(WaitTest, returns_at_once_when_the_condition_holds) {
  WaitFor wait{.what = Awaiting::notify};
  wait_until(wait, [] { return true; });
  EXPECT_EQ(slot().wait.awaiting.load(), Awaiting::nothing);
}

TEST_F(WaitTest, a_sleeper_is_woken_by_the_notifier) {
  std::atomic<bool> flag{false};
  std::thread other([&] {
    while (slot().asleep.load() == 0) std::this_thread::yield();
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
    flag.store(true, std::memory_order_release);
    notify(slot());
  });
  WaitFor wait{.what = Awaiting::notify};
  wait_until(wait, [&] { return flag.load(std::memory_order_acquire); });
  other.join();
}

TEST_F(WaitTest, a_condition_that_takes_something_is_taken_once) {
  // Looked at on the way to sleep, where finding it true must end the wait for good.
  std::atomic<int> tokens{0};
  std::thread other([&] {
    while (slot().asleep.load() == 0) std::this_thread::yield();
    tokens.store(1);
  });
  WaitFor wait{.what = Awaiting::mutex, .is_notified = false};
  wait_until(wait, [&] {
    int one = 1;
    return tokens.compare_exchange_strong(one, 0);
  });
  other.join();
  EXPECT_EQ(tokens.load(), 0);
}

/// Counts how often a rank that waits looks for work, and in which way.
class Looks final : public WorkSource {
 public:
  Looks() : rank_(this_rank("test")) { rank_.add(*this); }
  ~Looks() override { rank_.remove(*this); }
  void deliver() override {
    ++long_ones;
    work = false;
  }
  bool has_come() override {
    ++short_ones;
    return work;
  }

  bool work = false;
  int long_ones = 0, short_ones = 0;

 private:
  RankContext& rank_;
};

TEST_F(WaitTest, looks_long_once_in_a_row_of_short_looks_and_where_work_has_come) {
  // So few looks are made before anything else, where others want the core, too.
  constexpr int looks_max = 10 * long_look_one_in;
  if (cores_are_shared() || poller() != nullptr) FAIL() << "the test has a core, and no network";
  Looks source;
  int looks = 0, long_before = -1;
  WaitFor wait{.what = Awaiting::notify};
  wait_until(wait, [&] {
    if (source.long_ones == 0 && source.short_ones == 0) return false;  // looks at this alone
    ++looks;
    if (long_before >= 0) {
      EXPECT_EQ(source.long_ones, long_before + 1) << "what has come waits for the next long look";
      EXPECT_FALSE(source.work);
      long_before = -1;
    }
    if (looks == looks_max / 2 + 1) {
      source.work = true;
      long_before = source.long_ones;
    }
    return looks == looks_max;
  });
  EXPECT_GE(source.short_ones, looks_max - source.long_ones);
  EXPECT_LE(source.long_ones, looks_max / long_look_one_in + 3);
}

TEST_F(WaitTest, what_is_waited_for_can_be_read_from_outside) {
  std::atomic<bool> seen{false};
  std::thread other([&] {
    // Reads as a sequence lock's reader does: while it is odd, the record is being written.
    while (slot().wait.sequence.load() % 2 != 0 || slot().wait.awaiting.load() != Awaiting::message)
      std::this_thread::yield();
    EXPECT_EQ(slot().wait.detail.load(), 42u);
    seen.store(true);
  });
  WaitFor wait{.what = Awaiting::message, .detail = 42, .is_notified = false};
  wait_until(wait, [&] { return seen.load(); });
  other.join();
  EXPECT_EQ(slot().wait.awaiting.load(), Awaiting::nothing);
}

TEST_F(WaitTest, a_wait_that_is_interrupted_is_none_until_it_goes_on) {
  const space::WaitRecord& record = slot().wait;
  const auto waits_for = [&](Awaiting what, std::uint64_t detail) {
    return record.awaiting.load() == what && record.detail.load() == detail;
  };
  bool is_over = false;
  int inner_looks = 0;
  WaitFor outer{.what = Awaiting::message, .detail = 42, .is_notified = false};
  wait_until(outer, [&] {
    if (is_over || !waits_for(Awaiting::message, 42)) return is_over;
    {
      const WaitInterrupted interrupted(this_rank("test"));
      EXPECT_TRUE(space::is_interrupted(record.awaiting.load()));
      WaitFor inner{.what = Awaiting::notify, .detail = 7, .is_notified = false};
      wait_until(inner, [&] { return waits_for(Awaiting::notify, 7) && ++inner_looks > 1; });
      EXPECT_TRUE(space::is_interrupted(record.awaiting.load()));
    }
    EXPECT_TRUE(waits_for(Awaiting::message, 42));
    return is_over = true;
  });
  EXPECT_TRUE(is_over);
  EXPECT_EQ(record.awaiting.load(), Awaiting::nothing);
}

TEST_F(WaitTest, a_contended_lock_keeps_a_counter_right) {
  LockWord word{0};
  long counter = 0;
  auto work = [&](int who) {
    for (int i = 0; i < 20000; ++i) {
      while (!try_lock(word, who)) std::this_thread::yield();
      ++counter;
      unlock(word);
    }
  };
  std::thread other(work, 1);
  work(0);
  other.join();
  EXPECT_EQ(counter, 40000);
}

}  // namespace
}  // namespace armature::wait
