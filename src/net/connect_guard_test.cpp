#include "net/connect_guard.hpp"

#include <atomic>
#include <chrono>
#include <thread>

#include <gtest/gtest.h>

namespace armature::net {
namespace {

using namespace std::chrono_literals;

TEST(ConnectGuard, gives_up_the_one_that_takes_too_long) {
  std::atomic<int> given_up{-1};
  ConnectGuard guard(200'000'000, [&](int process) { given_up = process; });
  guard.watch(1);
  guard.watch(2);
  for (int i = 0; i < 1000 && given_up < 0; ++i) std::this_thread::sleep_for(10ms);
  EXPECT_EQ(given_up, 2);
}

TEST(ConnectGuard, who_connects_in_time_is_left_alone) {
  std::atomic<int> given_up{-1};
  {
    ConnectGuard guard(10'000'000'000, [&](int process) { given_up = process; });
    guard.watch(1);
  }
  EXPECT_EQ(given_up, -1);
}

}  // namespace
}  // namespace armature::net
