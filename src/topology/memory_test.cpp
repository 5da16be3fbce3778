#include "topology/memory.hpp"

#include <gtest/gtest.h>

namespace armature::topology {
namespace {

TEST(MemoryRoom, there_is_some_and_the_limit_has_a_name) {
  const MemoryRoom room = memory_room();
  EXPECT_GT(room.bytes, std::uint64_t{1} << 20);
  EXPECT_LT(room.bytes, std::uint64_t{1} << 60);
  EXPECT_FALSE(room.limit.empty());
}

}  // namespace
}  // namespace armature::topology
