#include "command/run/ending.hpp"

#include <sys/wait.h>

#include <csignal>
#include <cstdlib>
#include <cstring>
#include <memory>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "space/layout.hpp"

namespace armature::command {
namespace {

using space::Life;
using ::testing::HasSubstr;

int exited(int status) { return W_EXITCODE(status, 0); }
int killed(int signal) { return W_EXITCODE(0, signal); }

/// The control block of two ranks.
class TwoRanks {
 public:
  TwoRanks() {
    auto* header = new (memory_.get()) space::ControlHeader;
    header->ranks = 2;
    header->layout.segment_base = space::default_base;
    header->layout.segment_bytes = 1 << 30;
    for (int rank : {0, 1}) {
      new (&control().slot(rank)) space::RankSlot;
      new (control().segments() + rank) detail::SegmentView;
      new (&control().crash_report(rank)) space::CrashReport;
    }
  }
  [[nodiscard]] space::Control control() const { return {memory_.get()}; }

 private:
  std::unique_ptr<std::byte, decltype(&std::free)> memory_{
      static_cast<std::byte*>(std::aligned_alloc(4096, 1 << 20)), &std::free};
};

TEST(EndingTest, only_those_who_have_left_the_job_may_exit_with_0) {
  EXPECT_EQ(ending_by_status(exited(0), Life::finished, false).status, 0);
  EXPECT_TRUE(ending_by_status(exited(0), Life::finished, false).in_order);
  EXPECT_EQ(ending_by_status(exited(0), Life::starting, false).status, 0);
  EXPECT_EQ(ending_by_status(exited(0), Life::running, false).status, 1);
  EXPECT_FALSE(ending_by_status(exited(0), Life::leaving, false).in_order);
}

TEST(EndingTest, the_status_is_that_of_the_program) {
  EXPECT_EQ(ending_by_status(exited(3), Life::finished, false).status, 3);
  EXPECT_EQ(ending_by_status(exited(3), Life::running, false).status, 3);
  EXPECT_EQ(ending_by_status(killed(SIGKILL), Life::running, false).status, 137);
}

TEST(EndingTest, want_of_memory_is_suspected_when_the_kernel_has_acted_on_it) {
  EXPECT_THAT(ending_by_status(killed(SIGKILL), Life::running, true).how,
              HasSubstr("want of memory"));
  EXPECT_THAT(ending_by_status(killed(SIGTERM), Life::running, true).how, Not(HasSubstr("memory")));
}

TEST(EndingTest, words_are_taken_only_when_said_and_never_believed_as_lengths) {
  const TwoRanks job;
  space::CrashReport& words = job.control().crash_report(1);
  words.frames = 1'000'000;
  std::memset(words.text, 'x', sizeof words.text);
  EXPECT_FALSE(read_words(job.control(), 1));
  job.control().slot(1).said = 1;
  EXPECT_EQ(read_words(job.control(), 1)->frames.size(), space::CrashReport::frames_max);
  EXPECT_EQ(read_words(job.control(), 1)->text.size(), space::CrashReport::text_max);
  EXPECT_FALSE(read_words(job.control(), 0));
}

TEST(EndingTest, whoever_ends_the_job_does_not_end_it_well) {
  const TwoRanks job;
  for (const int status : {256, 512, -256, 257})
    EXPECT_EQ(ending_by_words({.status = status, .text = "no soup"}, job.control()).status, 1);
  EXPECT_EQ(ending_by_words({.status = -1, .text = "no soup"}, job.control()).status, 255);
}

TEST(EndingTest, a_rank_may_end_a_job_that_has_not_failed) {
  const TwoRanks job;
  const Ending ending =
      ending_by_words({.status = 1, .is_well = true, .text = "found it"}, job.control());
  EXPECT_EQ(ending.status, 0);
  EXPECT_EQ(ending.how, "ended the job: found it");
}

TEST(EndingTest, ranks_that_fail_alike_differ_in_numbers_only) {
  const auto ending = [](int status, const char* how) { return Ending{status, false, how}; };
  EXPECT_TRUE(are_alike(ending(134, "put: rank 17 (0x2a00f) has -1"),
                        ending(134, "put: rank 2 (0xb) has -30")));
  EXPECT_FALSE(are_alike(ending(134, "put: rank 1"), ending(134, "get: rank 1")));
  EXPECT_FALSE(are_alike(ending(134, "put: rank 1"), ending(1, "put: rank 1")));
  EXPECT_FALSE(are_alike(ending(1, "soup"), ending(1, "soup is cold")));
}

TEST(EndingTest, a_fault_in_a_segment_names_the_owner) {
  const TwoRanks job;
  const space::ControlHeader& header = job.control().header();
  const Words words{.signal = SIGSEGV,
                    .status = 0,
                    .fault_address = header.layout.segment_base + header.layout.segment_bytes + 5,
                    .frames = {},
                    .text = ""};
  const Ending ending = ending_by_words(words, job.control());
  EXPECT_EQ(ending.status, 139);
  EXPECT_THAT(ending.how, HasSubstr("in the segment of rank 1, where it has allocated nothing"));
  const Words sent{
      .signal = SIGSEGV, .was_sent = true, .fault_address = 4711, .frames = {}, .text = ""};
  EXPECT_THAT(ending_by_words(sent, job.control()).how, HasSubstr("(SIGSEGV)"));
}

}  // namespace
}  // namespace armature::command
