#include "team/breakdown.hpp"

#include <gtest/gtest.h>

namespace armature::team {
namespace {

TEST(Breakdown, one_word_tells_all_of_it) {
  EXPECT_FALSE(Breakdown::of(0));
  for (const Errc code : {Errc::bad_rank, Errc::out_of_memory, Errc::rank_lost, Errc::corrupt})
    for (const int rank : {0, 1, static_cast<int>(space::ranks_max) - 1})
      for (const std::uint32_t number : {0u, 7u, UINT32_MAX}) {
        const auto told = Breakdown::of(Breakdown{number, code, rank}.word());
        ASSERT_TRUE(told);
        EXPECT_EQ(told->number, number);
        EXPECT_EQ(told->code, code);
        EXPECT_EQ(told->rank, rank);
      }
}

TEST(Breakdown, the_first_collective_that_fails_stays) {
  std::atomic<std::uint64_t> word = 0;
  const auto note = [&](std::uint32_t number) {
    return note_breakdown(word, Breakdown{number, Errc::out_of_memory, 3}.word());
  };
  EXPECT_TRUE(note(1));
  EXPECT_FALSE(note(1));
  EXPECT_FALSE(note(2));
  EXPECT_TRUE(note(0));
  EXPECT_TRUE(note(UINT32_MAX)) << "numbers wrap around";
  EXPECT_FALSE(note(0));
  EXPECT_EQ(Breakdown::of(word)->number, UINT32_MAX);
}

}  // namespace
}  // namespace armature::team
