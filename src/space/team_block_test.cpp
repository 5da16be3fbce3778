#include "space/team_block.hpp"

#include <gtest/gtest.h>

namespace armature::space {
namespace {

TEST(PipelinedLine, its_detail_says_which_one_it_is) {
  const PipelinedLine last{(std::uint64_t{1} << 40) + 3, TeamBlock::pipeline_depth,
                           TeamBlock::pipeline_members - 1};
  EXPECT_TRUE(PipelinedLine::is_one(last.detail()));
  EXPECT_FALSE(PipelinedLine::is_one(last.round));
  const PipelinedLine same = PipelinedLine::of(last.detail());
  EXPECT_EQ(same.round, last.round);
  EXPECT_EQ(same.step, last.step);
  EXPECT_EQ(same.member, last.member);
}

TEST(PipelinedLine, its_number_grows_with_the_step_and_with_the_round) {
  constexpr std::uint32_t last = TeamBlock::pipeline_depth;
  EXPECT_LT((PipelinedLine{7, 1, 0}.number()), (PipelinedLine{7, 2, 0}.number()));
  EXPECT_LT((PipelinedLine{7, last, 0}.number()), (PipelinedLine{8, 1, 0}.number()));
}

TEST(TeamBlock, pipelined_lines_lie_behind_everything_else_and_apart) {
  for (const std::size_t size : {2UL, TeamBlock::pipeline_members}) {
    alignas(64) static std::byte memory[sizeof(TeamBlock)];
    auto& block = *reinterpret_cast<TeamBlock*>(memory);  // addresses alone are computed
    block.size = static_cast<std::uint32_t>(size);
    const auto at = [&](std::uint32_t step, std::uint32_t member) {
      return reinterpret_cast<std::byte*>(&block.line(PipelinedLine{0, step, member})) - memory;
    };
    EXPECT_EQ(at(1, 0), block.long_result() + TeamBlock::staging_bytes - memory);
    EXPECT_EQ(at(2, 0) - at(1, 0), 64);
    EXPECT_EQ(at(1, 1) - at(TeamBlock::pipeline_depth, 0), 64);
    EXPECT_EQ(static_cast<std::size_t>(
                  at(TeamBlock::pipeline_depth, static_cast<std::uint32_t>(size - 1))) +
                  64,
              TeamBlock::bytes(size));
  }
  EXPECT_EQ(TeamBlock::bytes(TeamBlock::pipeline_members + 1) % 64, 0U);
}

}  // namespace
}  // namespace armature::space
