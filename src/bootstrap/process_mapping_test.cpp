#include "bootstrap/process_mapping.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace armature::bootstrap {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(ProcessMappingTest, names_the_processes_of_a_node) {
  EXPECT_THAT(processes_on_node_of(1, 3, "(vector,(0,1,3))"), ElementsAre(0, 1, 2));
  EXPECT_THAT(processes_on_node_of(3, 5, "(vector,(0,2,2),(2,1,1))"), ElementsAre(2, 3));
  EXPECT_THAT(processes_on_node_of(4, 5, "(vector,(0,2,2),(2,1,1))"), ElementsAre(4));
}

TEST(ProcessMappingTest, starts_again_where_there_are_more_processes) {
  EXPECT_THAT(processes_on_node_of(2, 5, "(vector,(0,2,1))"), ElementsAre(0, 2, 4));
}

TEST(ProcessMappingTest, says_nothing_where_nothing_makes_sense) {
  for (const char* mapping :
       {"", "(vector", "(vector)", "(vector,(0,1))", "(vector,(0,0,1))", "(vector,(0,1,-1))",
        "(vector,(0,1,99999999999))", "(vector,(0,1,1)", "(other,(0,1,1))"})
    EXPECT_THAT(processes_on_node_of(0, 2, mapping), IsEmpty()) << mapping;
}

}  // namespace
}  // namespace armature::bootstrap
