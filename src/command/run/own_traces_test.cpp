#include "command/run/own_traces.hpp"

#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstddef>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "wait/trace.hpp"

namespace armature::command {
namespace {

using testing::HasSubstr;

class OwnTracesTest : public testing::Test {
 protected:
  OwnTracesTest() {
    std::string name = testing::TempDir() + "own-traces-XXXXXX";
    folder_ = mkdtemp(name.data());
  }
  ~OwnTracesTest() override { std::filesystem::remove_all(folder_); }

  [[nodiscard]] std::string path() const { return folder_ + "/trace.json"; }
  [[nodiscard]] std::string text() const {
    std::ifstream file(path());
    return {std::istreambuf_iterator<char>(file), {}};
  }
  [[nodiscard]] std::ptrdiff_t files() const {
    return std::distance(std::filesystem::directory_iterator(folder_), {});
  }
  /// A process of that number counts once and is then killed.
  static void count_in_process(int number) {
    const pid_t child = fork();
    if (child == 0) {
      wait::make_own_trace(number, 4);
      wait::trace({.kind = wait::TraceEvent::Kind::counter,
                   .rank = number,
                   .what = wait::trace_name("steps of " + std::to_string(number)),
                   .begin_ns = 1});
      kill(getpid(), SIGKILL);
    }
    waitpid(child, nullptr, 0);
  }

  std::string folder_;
};

TEST_F(OwnTracesTest, events_of_all_are_in_one_file_and_the_missing_are_told) {
  const OwnTraces traces(path(), 3);
  count_in_process(0);
  count_in_process(2);
  testing::internal::CaptureStderr();
  EXPECT_TRUE(traces.write());
  EXPECT_THAT(testing::internal::GetCapturedStderr(),
              HasSubstr("1 of 3 processes have left nothing"));
  EXPECT_THAT(text(), HasSubstr("steps of 0"));
  EXPECT_THAT(text(), HasSubstr("steps of 2"));
  EXPECT_EQ(files(), 1);
}

TEST_F(OwnTracesTest, what_is_left_of_an_earlier_job_or_is_none_does_not_count) {
  {
    const OwnTraces earlier(path(), 2);
    count_in_process(1);
  }
  const OwnTraces traces(path(), 2);
  std::ofstream(path() + ".of-process-0") << "no events";
  testing::internal::CaptureStderr();
  EXPECT_TRUE(traces.write());
  EXPECT_THAT(testing::internal::GetCapturedStderr(),
              HasSubstr("2 of 2 processes have left nothing"));
  EXPECT_EQ(text().find("steps of 1"), std::string::npos);
}

TEST_F(OwnTracesTest, processes_hear_nothing_where_nobody_asks) {
  const OwnTraces traces("", 2);
  count_in_process(0);
  EXPECT_EQ(files(), 0);
  EXPECT_TRUE(traces.write());
}

}  // namespace
}  // namespace armature::command
