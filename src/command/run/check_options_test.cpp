#include "command/run/check_options.hpp"

#include <functional>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "armature/error.hpp"

namespace armature::command {
namespace {

using ::testing::HasSubstr;
using Set = std::function<void(LaunchOptions&)>;

/// Why these options, with 4 ranks, are refused; empty: they are not.
std::string refusal(const std::vector<Set>& settings) {
  LaunchOptions options;
  options.ranks = 4;
  options.command = {"prog"};
  for (const Set& set : settings) set(options);
  try {
    check_options(options);
    return "";
  } catch (const Error& error) {
    return error.what();
  }
}

void on_hosts(LaunchOptions& o) { o.hosts = {"a", "b"}; }
void are_virtual(LaunchOptions& o) { o.virtual_ranks = true; }
void simulate(LaunchOptions& o) { o.simulation_seed = 1; }
void checkpoint(LaunchOptions& o) { o.checkpoint_directory = "saved"; }
void recover(LaunchOptions& o) { o.on_death = space::OnDeath::recover; }
void every_5_s(LaunchOptions& o) { o.checkpoint_every_s = o.rebalance_every_s = 5; }

TEST(CheckOptionsTest, what_is_for_virtual_ranks_is_refused_to_others_wherever_they_run) {
  const std::vector<std::pair<std::string, Set>> all = {
      {"--processes", [](LaunchOptions& o) { o.processes = 2; }},
      {"--stack-size", [](LaunchOptions& o) { o.stack_bytes = 1 << 20; }},
      {"--balance", [](LaunchOptions& o) { o.balance = true; }},
      {"--private-globals", [](LaunchOptions& o) { o.private_globals = true; }},
      {"--checkpoint", checkpoint},
      {"--checkpoint-incremental", [](LaunchOptions& o) { o.checkpoint_incremental = true; }},
      {"--rebalance-every", every_5_s},
      {"--on-death recover", recover}};
  for (const auto& [option, set] : all) {
    EXPECT_THAT(refusal({set}), HasSubstr(option + " is for virtual ranks"));
    EXPECT_THAT(refusal({set, on_hosts}), HasSubstr(option + " is for virtual ranks"));
    EXPECT_EQ(refusal({set, are_virtual, checkpoint}), "");
    EXPECT_EQ(refusal({set, are_virtual, checkpoint, on_hosts}), "");
  }
}

TEST(CheckOptionsTest, a_job_that_takes_in_nodes_is_of_virtual_ranks_on_several_nodes) {
  const Set elastic = [](LaunchOptions& o) { o.elastic = true; };
  const Set on_two_nodes = [](LaunchOptions& o) { o.nodes = 2; };
  EXPECT_EQ(refusal({elastic, are_virtual, on_two_nodes, recover}), "");
  EXPECT_THAT(refusal({elastic, on_two_nodes}), HasSubstr("--elastic is for virtual ranks"));
  EXPECT_THAT(refusal({elastic, are_virtual}), HasSubstr("begins on one node stays there"));
  EXPECT_THAT(refusal({elastic, are_virtual, on_two_nodes, simulate}), HasSubstr("--simulate"));
  EXPECT_THAT(refusal({elastic, are_virtual, checkpoint, on_hosts}), HasSubstr("--hosts"));
  EXPECT_THAT(refusal({elastic, are_virtual, on_two_nodes,
                       [](LaunchOptions& o) { o.on_death = space::OnDeath::go_on; }}),
              HasSubstr("--on-death continue"));
}

TEST(CheckOptionsTest, what_only_our_launcher_can_do_is_refused_on_hosts) {
  const std::vector<std::pair<std::string, Set>> all = {
      {"--bind", [](LaunchOptions& o) { o.bind = Bind::core; }},
      {"--timeout", [](LaunchOptions& o) { o.timeout_s = 5; }},
      {"--nodes", [](LaunchOptions& o) { o.nodes = 2; }},
      {"--stall", [](LaunchOptions& o) { o.stall_s = 20; }},
      {"--simulate", simulate}};
  for (const auto& [option, set] : all) {
    EXPECT_EQ(refusal({set}), "");
    EXPECT_THAT(refusal({set, on_hosts}), HasSubstr(option + " is not possible with --hosts"));
  }
  EXPECT_EQ(refusal({on_hosts, [](LaunchOptions& o) { o.stall_s = 0; }}), "");
}

TEST(CheckOptionsTest, on_hosts_each_process_has_as_many_ranks) {
  EXPECT_EQ(refusal({on_hosts, [](LaunchOptions& o) { o.threads = 2; }}), "");
  EXPECT_THAT(refusal({on_hosts, [](LaunchOptions& o) { o.threads = 3; }}),
              HasSubstr("4 ranks cannot be divided into processes of 3"));
  EXPECT_THAT(refusal({on_hosts, [](LaunchOptions& o) { o.ranks = 0; }}), HasSubstr("-n N"));
}

TEST(CheckOptionsTest, ranks_are_virtual_or_threads_wherever_they_run) {
  const Set threads = [](LaunchOptions& o) { o.threads = 2; };
  for (const Set& where : {Set(on_hosts), Set([](LaunchOptions&) {})}) {
    EXPECT_THAT(refusal({where, are_virtual, threads}), HasSubstr("does not go with --threads"));
    EXPECT_THAT(refusal({where, [](LaunchOptions& o) { o.simulated_deaths = 1; }}),
                HasSubstr("--simulate-deaths is for --simulate"));
  }
}

TEST(CheckOptionsTest, what_is_done_every_so_often_needs_somewhere_to_write_to) {
  EXPECT_THAT(refusal({are_virtual, every_5_s}), HasSubstr("Say --checkpoint DIR"));
  EXPECT_THAT(refusal({are_virtual, [](LaunchOptions& o) { o.copy_every_s = 5; }}),
              HasSubstr("say --on-death recover"));
}

TEST(CheckOptionsTest, a_directory_is_refused_that_a_control_block_has_no_room_for) {
  for (const std::size_t bytes : {512, 513, 4000}) {
    const std::string refused = refusal(
        {are_virtual, [&](LaunchOptions& o) { o.checkpoint_directory = std::string(bytes, 'd'); }});
    EXPECT_EQ(refused.empty(), bytes <= 512) << refused;
  }
}

TEST(CheckOptionsTest, links_are_those_of_processes_that_this_command_starts) {
  const std::vector<std::pair<std::string, Set>> all = {
      {"--place", [](LaunchOptions& o) { o.place = "links"; }},
      {"--record-links", [](LaunchOptions& o) { o.record_links = "links"; }}};
  for (const auto& [option, set] : all) {
    const std::string refused = refusal({set, are_virtual});
    EXPECT_EQ(option == "--place", !refused.empty()) << refused;
    if (!refused.empty()) {
      EXPECT_THAT(refused, HasSubstr("--place is for ranks that are processes"));
    }
    EXPECT_THAT(refusal({set, simulate}), HasSubstr(option + " does not go with --simulate"));
    EXPECT_THAT(refusal({set, on_hosts}), HasSubstr(option + " is not possible with --hosts"));
    EXPECT_EQ(refusal({set, [](LaunchOptions& o) { o.nodes = 2; }}), "");
  }
  EXPECT_THAT(refusal({all.front().second}), HasSubstr("say --nodes K, too"));
}

}  // namespace
}  // namespace armature::command
