#include "progress/give_way.hpp"

#include <pthread.h>
#include <sched.h>

#include <chrono>
#include <stop_token>
#include <thread>

#include <gtest/gtest.h>

namespace armature::progress {
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

TEST(GiveWayTest, a_core_is_wanted_while_another_thread_computes_there) {
  const auto begun = Clock::now();
  {
    const SharedCore core;
    while (!core_is_wanted() && Clock::now() - begun < seconds(20)) yield();
    EXPECT_TRUE(core_is_wanted());
  }
  while (core_is_wanted() && Clock::now() - begun < seconds(20)) std::this_thread::yield();
  EXPECT_FALSE(core_is_wanted());
}

}  // namespace
}  // namespace armature::progress
