#include "command/run/host_watch.hpp"

#include <unistd.h>

#include <chrono>
#include <climits>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "command/run/coming.hpp"
#include "command/run/host_file.hpp"
#include "command/run/job_output.hpp"
#include "command/run/process_starter.hpp"
#include "command/run/resize_requests.hpp"
#include "command/run/restarting.hpp"
#include "command/run/shutdown.hpp"
#include "command/run/signals.hpp"

namespace armature::command {
namespace {

using space::Restart;

std::vector<space::JobMemory> memory_of_nodes(std::uint32_t count) {
  std::vector<std::uint32_t> first_ranks;
  for (std::uint32_t node = 0; node < count; ++node) first_ranks.push_back(node);
  std::vector<space::JobMemory> memory;
  for (std::uint32_t node = 0; node < count; ++node)
    memory.push_back(space::JobMemory::create({.ranks = count,
                                               .virtual_processes = count,
                                               .segment_bytes = 1 << 30,
                                               .nodes = first_ranks,
                                               .node = static_cast<std::int32_t>(node)}));
  return memory;
}

/// A job of the nodes a, b and c, with a process on each, as its launcher sees it.
class HostWatchTest : public testing::Test {
 protected:
  HostWatchTest() {
    for (LaunchedProcess& process : processes_.all()) {
      process.alive = true;
      process.pid = INT_MAX;  // there is none
    }
    for (const space::Control& node : view_.nodes()) node.header().alike.joined.store(1);
  }
  ~HostWatchTest() override {
    std::filesystem::remove(path_);
    std::filesystem::remove(options_.resize_directory);
  }

  /// The length differs each time, as files written within one tick of the clock may be alike.
  void write(const std::string& text) {
    std::ofstream(path_) << text << '#' << std::string(static_cast<std::size_t>(++times_), ' ');
  }
  void look_at_hosts() {
    std::this_thread::sleep_for(std::chrono::milliseconds(110));  // it does not look more often
    hosts_.look();
  }
  /// The file is read when it is as it was at the look before.
  void read_hosts(const std::string& text) {
    write(text);
    for (int time = 0; time < 2; ++time) look_at_hosts();
  }
  void let_ranks(Restart begin_or_end) const {
    for (const space::Control& node : view_.nodes())
      node.header().resize.restart.store(begin_or_end);
  }
  [[nodiscard]] bool is_to_leave(int node) const {
    return view_.node(node).process(node).wants_to_leave.load() != 0;
  }
  /// The line of b goes, and ranks begin to be written.
  void let_b_leave() {
    look_at_hosts();
    read_hosts("a\nc\n");
    ASSERT_TRUE(is_to_leave(1));
    for (int time = 0; time < 2; ++time) {
      restarting_.look();
      look_at_hosts();
    }
    ASSERT_EQ(view_.node(0).header().resize.restart.load(), Restart::wanted);
    let_ranks(Restart::begun);
  }
  std::vector<int> kept_nodes() {
    Outcome outcome;
    restarting_.complete(outcome);
    return outcome.kept_nodes;
  }

  // Tests run beside each other.
  const std::string path_ = testing::TempDir() + "host_watch_test-" + std::to_string(getpid());
  int times_ = 0;
  LaunchOptions options_ = [this] {
    write("a\nb\nc\n");
    LaunchOptions options;
    options.command = {"program"};
    options.elastic = options.virtual_ranks = true;
    options.resize_directory = path_ + "-ranks";
    options.host_file = std::make_shared<HostFile>(path_);
    return options;
  }();
  const std::vector<space::JobMemory> memory_ = memory_of_nodes(3);
  const JobView view_{options_, memory_, space::map_control(memory_.front().control.get())};
  LaunchedProcesses processes_{view_};
  Shutdown shutdown_{processes_, view_};
  JobOutput output_{view_, shutdown_};
  const Signals signals_;
  ProcessStarter starter_{
      view_, {"program", options_.command, memory_, -1, signals_, {}, false, {}}, output_};
  ResizeRequests requests_{view_};
  Coming coming_{view_, processes_, starter_, requests_};
  Restarting restarting_{view_, processes_, requests_, coming_};
  HostWatch hosts_{view_, processes_};
};

TEST_F(HostWatchTest, a_node_whose_line_goes_is_left) {
  let_b_leave();
  let_ranks(Restart::complete);
  EXPECT_EQ(kept_nodes(), (std::vector{0, 2}));
}

TEST_F(HostWatchTest, a_line_that_comes_back_when_a_change_has_begun_keeps_its_node) {
  let_b_leave();
  read_hosts("a\nb\nc\n");
  EXPECT_FALSE(is_to_leave(1));
  restarting_.look();
  let_ranks(Restart::complete);
  EXPECT_EQ(kept_nodes(), (std::vector{0, 1, 2}));
}

TEST_F(HostWatchTest, a_line_that_comes_back_just_before_all_is_written_keeps_its_node) {
  let_b_leave();
  read_hosts("a\nb\nc\n");
  let_ranks(Restart::complete);
  restarting_.look();  // too late
  EXPECT_EQ(kept_nodes(), (std::vector{0, 1, 2}));
}

TEST_F(HostWatchTest, the_node_of_a_line_that_comes_back_later_is_asked_for_anew) {
  let_b_leave();
  let_ranks(Restart::complete);
  read_hosts("a\nb\nc\n");
  processes_.at(1).alive = false;
  look_at_hosts();  // the others end, too
  ASSERT_EQ(kept_nodes(), (std::vector{0, 2}));
  HostFile& file = *options_.host_file;
  file.go_on({0, 2}, 2);
  std::string problem;
  for (int time = 0; time < 2; ++time) (void)file.read_again(problem);
  const auto lines = file.to_come({0, 1});
  ASSERT_EQ(lines.size(), 1U) << problem;
  EXPECT_EQ(lines.front().name, "b");
}

}  // namespace
}  // namespace armature::command
