// Calls for virtual ranks alone, in programs that run with ranks of every kind.
#include <armature/checkpoint.hpp>
#include <armature/rebalance.hpp>

#include "conformance.hpp"

using namespace conformance;
using armature::Errc;

TEST(Kinds, a_rebalance_moves_nobody_where_ranks_are_not_virtual) {
  if (armature::rank_kind() == armature::RankKind::fiber) return;
  const auto verdict = armature::rebalance(world());
  EXPECT_EQ(verdict.moved, 0U);
  EXPECT_EQ(verdict.most, 0);
}

TEST(Kinds, whether_a_checkpoint_can_be_is_told_before) {
  const bool can = armature::can_checkpoint();
  EXPECT_EQ(broadcast(world(), can ? 1 : 0, 0), can ? 1 : 0);
  EXPECT_EQ(armature::can_migrate(), can);
  if (!can)
    expect_error(Errc::misuse, {"checkpoint"}, [] { (void)armature::checkpoint("/nowhere"); });
  EXPECT_FALSE(armature::checkpoint({.when_due = true}));
}
