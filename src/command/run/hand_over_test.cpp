#include "command/run/hand_over.hpp"

#include <algorithm>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace armature::command {
namespace {

using ::testing::ElementsAre;

LaunchOptions options(std::uint32_t ranks, std::vector<std::string> hosts) {
  LaunchOptions given;
  given.ranks = ranks;
  given.hosts = std::move(hosts);
  given.command = {"prog", "word"};
  return given;
}

TEST(HandOverTest, processes_are_spread_evenly_over_the_hosts) {
  EXPECT_THAT(
      command_for(ForeignLauncher::hydra, "mpirun", options(12, {"a", "b", "c"}), {}),
      ElementsAre("mpirun", "-hosts", "a:4,b:4,c:4", "-ppn", "4", "-n", "12", "prog", "word"));
  EXPECT_THAT(command_for(ForeignLauncher::srun, "srun", options(3, {"a", "b"}), {}),
              ElementsAre("srun", "--mpi=pmix", "-N", "2", "-n", "3", "--ntasks-per-node", "2",
                          "-w", "a,b", "prog", "word"));
}

TEST(HandOverTest, settings_travel_where_the_launcher_does_not_take_all_along) {
  EXPECT_THAT(
      command_for(ForeignLauncher::open_mpi, "mpirun", options(2, {"a"}), {"ARMATURE_CHECK"}),
      ElementsAre("mpirun", "--host", "a:2", "-n", "2", "-x", "ARMATURE_CHECK", "prog", "word"));
}

TEST(HandOverTest, secrets_are_the_checkpoints_or_new) {
  LaunchOptions given = options(2, {"a"});
  EXPECT_EQ(given.secrets().size(), 32u);
  EXPECT_NE(given.secrets(), given.secrets());
  given.restore.emplace();  // of a checkpoint that knows none
  EXPECT_EQ(given.secrets().size(), 32u);
  given.restore->secrets = "its";
  EXPECT_EQ(given.secrets(), "its");
}

TEST(HandOverTest, threads_make_fewer_processes) {
  LaunchOptions given = options(8, {"a", "b"});
  given.threads = 2;
  EXPECT_THAT(command_for(ForeignLauncher::hydra, "mpirun", given, {}),
              ElementsAre("mpirun", "-hosts", "a:2,b:2", "-ppn", "2", "-n", "4", "prog", "word"));
}

TEST(HandOverTest, a_job_that_outlives_its_ranks_hides_their_deaths_from_the_launcher) {
  LaunchOptions given = options(1, {"a"});
  given.on_death = space::OnDeath::go_on;
  const auto words = command_for(ForeignLauncher::hydra, "mpirun", given, {});
  ASSERT_EQ(words.size(), 11U);
  EXPECT_EQ(words[8], "outlive");
  EXPECT_EQ(words[9], "prog");
}

TEST(HandOverTest, virtual_ranks_need_no_process_each) {
  LaunchOptions given = options(64, {"a", "b"});
  given.virtual_ranks = true;
  given.processes = 3;
  const auto words = command_for(ForeignLauncher::hydra, "mpirun", given, {});
  const auto count = std::find(words.begin(), words.end(), "-n");
  ASSERT_LT(count + 1, words.end());
  EXPECT_EQ(*(count + 1), "3");
}

}  // namespace
}  // namespace armature::command
