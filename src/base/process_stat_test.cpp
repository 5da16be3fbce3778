#include "base/process_stat.hpp"

#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>

#include <gtest/gtest.h>

namespace armature::base {
namespace {

TEST(ProcessStatTest, parent_state_and_start_are_read_behind_any_name) {
  const pid_t child = fork();
  if (child == 0) {
    prctl(PR_SET_NAME, "a) R 1 (b\n");
    raise(SIGSTOP);
    _exit(0);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, WUNTRACED), child);
  const auto stopped = process_stat(child);
  kill(child, SIGKILL);
  siginfo_t ended{};
  waitid(P_PID, static_cast<id_t>(child), &ended, WEXITED | WNOWAIT);
  const auto dead = process_stat(child);
  waitpid(child, &status, 0);
  ASSERT_TRUE(stopped && dead);
  EXPECT_EQ(stopped->state, 'T');
  EXPECT_EQ(stopped->parent, getpid());
  EXPECT_GE(stopped->started, process_stat(getpid())->started);
  EXPECT_EQ(dead->state, 'Z');
  EXPECT_EQ(dead->started, stopped->started);
}

TEST(ProcessStatTest, of_no_process_there_is_nothing) {
  EXPECT_FALSE(process_stat(0));
  EXPECT_FALSE(process_stat(-1));
  EXPECT_TRUE(process_stat(getpid(), gettid()));
  EXPECT_FALSE(process_stat(getpid(), 1));  // that is not one of its threads
}

}  // namespace
}  // namespace armature::base
