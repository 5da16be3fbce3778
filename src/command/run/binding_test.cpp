#include "command/run/binding.hpp"

#include <gtest/gtest.h>

namespace armature::command {
namespace {

const std::vector<Core> two_cores = {{0, 2}, {1, 3}};

TEST(BindingTest, a_rank_alone_is_not_bound) {
  EXPECT_TRUE(choose_binding(two_cores, 1, Bind::automatic).empty());
  EXPECT_EQ(choose_binding(two_cores, 1, Bind::core), (Binding{{0, 2}}));
}

TEST(BindingTest, a_core_each_where_there_are_enough) {
  EXPECT_EQ(choose_binding(two_cores, 2, Bind::automatic), (Binding{{0, 2}, {1, 3}}));
}

TEST(BindingTest, a_hardware_thread_each_where_cores_are_few) {
  EXPECT_EQ(choose_binding(two_cores, 4, Bind::automatic), (Binding{{0}, {2}, {1}, {3}}));
}

TEST(BindingTest, more_ranks_than_threads_are_bound_on_demand_only) {
  EXPECT_TRUE(choose_binding(two_cores, 5, Bind::automatic).empty());
  EXPECT_EQ(choose_binding(two_cores, 5, Bind::core).at(4), (std::vector<int>{0, 2}));
  EXPECT_TRUE(choose_binding(two_cores, 2, Bind::none).empty());
}

TEST(BindingTest, nothing_known_about_cores_is_no_binding) {
  EXPECT_TRUE(choose_binding({}, 2, Bind::core).empty());
}

}  // namespace
}  // namespace armature::command
