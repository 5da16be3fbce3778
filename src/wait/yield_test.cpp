#include "wait/yield.hpp"

#include <pthread.h>
#include <sched.h>

#include <chrono>
#include <stop_token>
#include <thread>

#include <gtest/gtest.h>

namespace armature::wait {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::seconds;

/// The calling thread, on the processor where it is, with another one that computes there.
class SharedCore {
 public:
  SharedCore() {
    sched_getaffinity(0, sizeof before_, &before_);
    cpu_set_t here;
    CPU_ZERO(&here);
    CPU_SET(sched_getcpu(), &here);
    sched_setaffinity(0, sizeof here, &here);
    other_ = std::jthread([](const std::stop_token& end) {
      while (!end.stop_requested()) {
      }
    });
  }
  ~SharedCore() {
    other_.request_stop();
    other_.join();
    sched_setaffinity(0, sizeof before_, &before_);
  }
  SharedCore(const SharedCore&) = delete;
  SharedCore& operator=(const SharedCore&) = delete;

 private:
  cpu_set_t before_{};
  std::jthread other_;
};

TEST(YieldTest, a_core_is_wanted_while_another_thread_computes_there) {
  const auto begun = Clock::now();
  {
    const SharedCore core;
    while (!core_is_wanted() && Clock::now() - begun < seconds(20)) yield();
    EXPECT_TRUE(core_is_wanted());
  }
  while (core_is_wanted() && Clock::now() - begun < seconds(20)) std::this_thread::yield();
  EXPECT_FALSE(core_is_wanted());
}

constexpr int threads_of_no_machine = 1 << 30, none = -1;

TEST(YieldTest, where_each_rank_has_a_core_whoever_has_it_is_a_stranger) {
  EXPECT_TRUE(were_strangers({.ns = 600'000, .threads_of_job = threads_of_no_machine}));
  EXPECT_FALSE(were_strangers({.ns = 400'000, .threads_of_job = none}));
}

TEST(YieldTest, where_ranks_share_cores_it_is_mostly_another_rank) {
  EXPECT_FALSE(were_strangers({.ns = 600'000, .cores_are_shared = true, .threads_of_job = none}));
  EXPECT_FALSE(were_strangers(
      {.ns = 3'000'000, .cores_are_shared = true, .threads_of_job = threads_of_no_machine}));
  EXPECT_TRUE(were_strangers({.ns = 3'000'000, .cores_are_shared = true, .threads_of_job = none}));
  EXPECT_TRUE(were_strangers({.ns = 3'000'000,
                              .cores_are_shared = true,
                              .threads_of_job = threads_of_no_machine,
                              .are_known = true}));
}

}  // namespace
}  // namespace armature::wait
