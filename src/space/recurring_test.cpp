#include <gtest/gtest.h>

#include "space/control.hpp"

namespace armature::space {
namespace {

constexpr std::uint64_t every_ns = 100, started_ns = 1000;

TEST(Recurring, the_first_is_due_an_interval_after_the_start) {
  Recurring work;
  EXPECT_EQ(work.due_ns(every_ns, started_ns), 1100U);
  EXPECT_FALSE(work.take(every_ns, started_ns, 1099));
  EXPECT_TRUE(work.take(every_ns, started_ns, 1100));
}

TEST(Recurring, who_finds_it_due_second_leaves_it) {
  Recurring work;
  EXPECT_TRUE(work.take(every_ns, started_ns, 1250));
  EXPECT_FALSE(work.take(every_ns, started_ns, 1250));
  EXPECT_FALSE(work.take(every_ns, started_ns, 1349));
  EXPECT_TRUE(work.take(every_ns, started_ns, 1350));
}

TEST(Recurring, the_interval_begins_when_it_was_last_over) {
  Recurring work;
  EXPECT_TRUE(work.take(every_ns, started_ns, 1100));
  work.last_ns = 1180;
  EXPECT_EQ(work.due_ns(every_ns, started_ns), 1280U);
  EXPECT_FALSE(work.take(every_ns, started_ns, 1279));
}

}  // namespace
}  // namespace armature::space
