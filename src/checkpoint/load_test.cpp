#include "checkpoint/load.hpp"

#include <gtest/gtest.h>

#include "armature/error.hpp"
#include "checkpoint/one_rank.hpp"
#include "fibers/rank_record.hpp"

namespace armature::checkpoints {
namespace {

TEST(CheckpointLoadTest, ranks_of_which_no_part_tells_are_refused_before_there_is_room_for_them) {
  Found found{{.folder = "nowhere", .manifest = one_rank()}, {}};
  found.manifest.ranks = UINT32_MAX;
  found.manifest.parts = {
      {.name = fibers::RankRecord::part, .memory_bytes = sizeof(fibers::RankRecord)}};
  EXPECT_THROW((void)first_ranks(found, 1), Error);
}

}  // namespace
}  // namespace armature::checkpoints
