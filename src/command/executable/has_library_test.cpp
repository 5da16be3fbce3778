#include "command/executable/has_library.hpp"

#include <gtest/gtest.h>

namespace armature::command {
namespace {

TEST(HasLibraryTest, only_a_program_that_has_it_in_it_or_names_it_has_it) {
  EXPECT_TRUE(has_library("/proc/self/exe"));
  EXPECT_FALSE(has_library("/bin/sh"));
  EXPECT_FALSE(has_library("/etc/passwd"));  // no program
  EXPECT_FALSE(has_library("/nonexistent"));
}

}  // namespace
}  // namespace armature::command
