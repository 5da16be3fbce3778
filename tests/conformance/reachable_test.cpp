#include "reachable.hpp"

using namespace conformance;

TEST(Reachable, memory_is_of_the_kind_that_was_asked_for) {
  Reachable<int> memory(1000);
  const std::size_t before = routine_calls();
  world().barrier();
  std::vector<int> mine(1000, me() + 1), back(1000);
  armature::put(memory.on(right()), mine);
  armature::fence_all();
  armature::get(back.data(), memory.on(right()), back.size());
  EXPECT_EQ(back, mine);
  world().barrier();
  // One reaches its own memory by itself, too.
  EXPECT_EQ(memory.local()[999], left() + 1);
  // Each process has hosted the target of a put, or has made one.
  EXPECT_EQ(routine_calls() > before, kind_of_memory() == KindOfMemory::routine);
  world().barrier();
  memory.free();
}
