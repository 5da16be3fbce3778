#include "base/job_mutex.hpp"

#include <thread>

#include <gtest/gtest.h>

namespace armature::base {
namespace {

TEST(JobMutex, who_waits_for_one_that_died_in_it_gives_up_when_told) {
  JobMutex mutex;
  const auto never = [] { return false; };
  std::thread([&] { EXPECT_TRUE(mutex.lock(never)); }).join();
  int asked = 0;
  EXPECT_FALSE(mutex.lock([&] { return ++asked == 2; }));
  EXPECT_EQ(asked, 2);
}

TEST(JobMutex, who_finds_it_free_is_not_asked) {
  JobMutex mutex;
  const auto at_once = [] { return true; };
  EXPECT_TRUE(mutex.lock(at_once));
  EXPECT_FALSE(mutex.lock(at_once));
  mutex.unlock();
  EXPECT_TRUE(mutex.lock(at_once));
  mutex.unlock();
}

TEST(JobMutex, who_waits_has_it_next) {
  JobMutex mutex;
  const auto never = [] { return false; };
  int sum = 0;
  const auto add = [&] {
    for (int i = 0; i < 1000; ++i) {
      EXPECT_TRUE(mutex.lock(never));
      ++sum;
      mutex.unlock();
    }
  };
  std::thread other(add);
  add();
  other.join();
  EXPECT_EQ(sum, 2000);
}

}  // namespace
}  // namespace armature::base
