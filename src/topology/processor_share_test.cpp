#include "topology/processor_share.hpp"

#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>

#include <gtest/gtest.h>

namespace armature::topology {
namespace {

TEST(ProcessorShare, the_kernels_file_is_read) {
  const auto time = processor_time_in("1234567 89 10\n");
  ASSERT_TRUE(time);
  EXPECT_EQ(time->ran_ns, 1234567U);
  EXPECT_EQ(time->waited_ns, 89U);
  for (const char* text : {"", "12", "12 ", "a b c", "-1 2 3", "99999999999999999999999 1 1"})
    EXPECT_FALSE(processor_time_in(text)) << text;
}

TEST(ProcessorShare, is_the_part_of_the_time_for_which_it_wanted_to_run) {
  constexpr std::uint64_t ms = 1'000'000;
  ProcessorShare share;
  EXPECT_DOUBLE_EQ(share.since_last(ProcessorTime{100 * ms, 0}), 1);
  EXPECT_DOUBLE_EQ(share.since_last(ProcessorTime{130 * ms, 10 * ms}), 0.75);
  // Too little says nothing, and is added to what comes.
  EXPECT_DOUBLE_EQ(share.since_last(ProcessorTime{133 * ms, 13 * ms}), 0.75);
  EXPECT_DOUBLE_EQ(share.since_last(ProcessorTime{142 * ms, 22 * ms}), 0.5);
  EXPECT_DOUBLE_EQ(share.since_last(std::nullopt), 0.5);
  // Nor does another thread's account, but what follows it does.
  EXPECT_DOUBLE_EQ(share.since_last(ProcessorTime{50 * ms, 0}), 1);
  EXPECT_DOUBLE_EQ(share.since_last(ProcessorTime{10 * ms, 0}), 1);
  EXPECT_DOUBLE_EQ(share.since_last(ProcessorTime{40 * ms, 90 * ms}), 0.25);
}

/// A busy child on this thread's processor takes half of it, if there are no more who want it.
TEST(ProcessorShare, a_foreign_program_on_the_same_processor_is_seen) {
  if (!own_processor_time()) GTEST_SKIP() << "the kernel does not tell";
  cpu_set_t before, one;
  ASSERT_EQ(sched_getaffinity(0, sizeof before, &before), 0);
  CPU_ZERO(&one);
  CPU_SET(sched_getcpu(), &one);
  ASSERT_EQ(sched_setaffinity(0, sizeof one, &one), 0);
  const pid_t parent = getpid(), child = fork();
  if (child == 0) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    while (getppid() == parent) {
    }
    _exit(0);
  }
  ProcessorShare share;
  (void)share.since_last(own_processor_time());
  const auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds(400);
  while (std::chrono::steady_clock::now() < end) {
  }
  const double found = share.since_last(own_processor_time());
  kill(child, SIGKILL);
  EXPECT_EQ(waitpid(child, nullptr, 0), child);
  EXPECT_EQ(sched_setaffinity(0, sizeof before, &before), 0);
  EXPECT_GT(found, 0);
  EXPECT_LT(found, 0.8);
}

TEST(ProcessorShare, the_rate_is_a_number) {
  const double rate = processor_rate();
  EXPECT_GT(rate, 0.01);
  EXPECT_LT(rate, 100);
}

}  // namespace
}  // namespace armature::topology
