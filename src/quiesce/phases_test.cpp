// Two processes of one node, which are threads here.
#include "quiesce/phases.hpp"

#include <algorithm>
#include <atomic>
#include <functional>
#include <mutex>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "harness/job.hpp"

namespace armature::quiesce {
namespace {

constexpr std::uint32_t number = 3;

class PhasesTest : public ::testing::Test {
 protected:
  PhasesTest() { quiesce().wanted = number; }

  space::ControlHeader& header() { return job_.mapping().header(); }
  space::QuiesceState& quiesce() { return header().quiesce; }
  void note(const std::string& what) {
    const std::lock_guard locked(mutex_);
    done_.push_back(what);
  }
  [[nodiscard]] std::size_t count(const std::string& what) const {
    return static_cast<std::size_t>(std::ranges::count(done_, what));
  }
  [[nodiscard]] std::ptrdiff_t last(const std::string& what) const {
    return std::ranges::find(done_.rbegin(), done_.rend(), what).base() - done_.begin();
  }
  [[nodiscard]] std::ptrdiff_t first(const std::string& what) const {
    return std::ranges::find(done_, what) - done_.begin();
  }
  Client client() {
    return {.when_quiet = [this](const PhaseBarrier&) { note("quiet"); },
            .prepare = [this] { note("prepare"); },
            .by_each = [this](const PhaseBarrier&) { note("each"); },
            .complete = [this] { note("complete"); },
            .undo = [this] { note("undo"); },
            .at_end = [this] { note("end"); }};
  }
  /// Whether it has gone on, as it should.
  bool take_part(int process, const Client& client) {
    const PhaseBarrier barrier(job_.mapping(), process, number);
    try {
      run_phases(barrier, quiesce(), client);
      go_on(barrier, header(), number, client);
      return true;
    } catch (const GivenUp&) {
      return false;
    }
  }

  const harness::Job job_{2};
  std::mutex mutex_;
  std::vector<std::string> done_;
  std::atomic<int> count_of_quiet_ = 0;
};

TEST_F(PhasesTest, nobody_begins_a_phase_before_all_have_done_the_one_before) {
  std::thread other([&] { EXPECT_TRUE(take_part(1, client())); });
  EXPECT_TRUE(take_part(0, client()));
  other.join();
  EXPECT_EQ(count("quiet"), 2U);
  EXPECT_EQ(count("prepare"), 1U);
  EXPECT_EQ(count("each"), 2U);
  EXPECT_EQ(count("complete"), 1U);
  EXPECT_EQ(count("end"), 1U);
  EXPECT_LE(last("quiet"), first("prepare"));
  EXPECT_LE(last("prepare"), first("each"));
  EXPECT_LE(last("each"), first("complete"));
  EXPECT_EQ(count("undo"), 0U);
  EXPECT_EQ(quiesce().over, number);
  EXPECT_EQ(quiesce().failed, 0U);
}

TEST_F(PhasesTest, what_one_cannot_do_none_does_and_all_know_why) {
  std::thread other([&] {
    Client its = client();
    its.when_quiet = [](const PhaseBarrier&) { throw std::runtime_error("there is no room"); };
    EXPECT_TRUE(take_part(1, its));
  });
  EXPECT_TRUE(take_part(0, client()));
  other.join();
  EXPECT_EQ(count("prepare") + count("each") + count("complete") + count("end"), 0U);
  EXPECT_EQ(count("undo"), 1U);
  EXPECT_EQ(quiesce().failed, number);
  EXPECT_EQ(std::string(quiesce().problem), "there is no room");
  EXPECT_EQ(quiesce().broken, 0U);
}

TEST_F(PhasesTest, what_fails_at_one_is_undone_by_the_first) {
  std::thread other([&] {
    Client its = client();
    its.by_each = [](const PhaseBarrier&) { throw std::runtime_error("the disk is full"); };
    EXPECT_TRUE(take_part(1, its));
  });
  EXPECT_TRUE(take_part(0, client()));
  other.join();
  EXPECT_EQ(count("complete") + count("end"), 0U);
  EXPECT_EQ(count("undo"), 1U);
  EXPECT_EQ(quiesce().failed, number);
}

TEST_F(PhasesTest, who_waits_for_one_that_does_not_come_gives_up_when_all_are_called_elsewhere) {
  std::thread launcher([&] {
    while (count_of_quiet_ == 0) std::this_thread::yield();
    quiesce().epoch.wanted.store(1, std::memory_order_release);
  });
  Client mine = client();
  mine.when_quiet = [this](const PhaseBarrier&) { count_of_quiet_ = 1; };
  EXPECT_FALSE(take_part(0, mine));
  launcher.join();
  EXPECT_TRUE(done_.empty());
  EXPECT_EQ(quiesce().over, 0U);
}

}  // namespace
}  // namespace armature::quiesce
