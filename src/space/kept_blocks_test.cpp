#include "space/kept_blocks.hpp"

#include <atomic>
#include <memory>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "space/small_blocks.hpp"

namespace armature::space {
namespace {

std::byte* address(std::uint64_t number) { return reinterpret_cast<std::byte*>(number * 4096); }

TEST(KeptBlocks, the_last_or_the_smallest_that_fits_is_taken_and_none_that_is_far_too_large) {
  KeptBlocks kept;
  for (const std::size_t bytes : {300u, 500u, 450u, 900u})
    ASSERT_TRUE(kept.put({address(bytes), bytes}));
  EXPECT_EQ(kept.take(301, 64)->bytes, 450u);
  EXPECT_EQ(kept.take(301, 64)->bytes, 500u);
  EXPECT_FALSE(kept.take(301, 64).has_value());
  EXPECT_EQ(kept.take(300, 64)->bytes, 300u);
  EXPECT_FALSE(kept.take(901, 64).has_value());
  EXPECT_EQ(kept.take(900, 4096)->address, address(900));
}

TEST(KeptBlocks, there_is_room_for_so_many_and_the_oldest_is_known) {
  KeptBlocks kept;
  for (std::size_t i = 1; i <= KeptBlocks::count_max; ++i) ASSERT_TRUE(kept.put({address(i), 64}));
  EXPECT_FALSE(kept.put({address(1000), 64}));
  EXPECT_EQ(kept.take_oldest()->address, address(1));
  EXPECT_TRUE(kept.put({address(1000), 64}));
}

TEST(KeptBlocks, a_block_is_emptied_or_taken_and_never_both) {
  KeptBlocks kept;
  constexpr int rounds = 20'000;
  std::atomic<bool> is_over = false;
  std::atomic<int> holders = 0, most = 0, emptied = 0;
  const auto hold = [&] {
    if (++holders > 1) most = 2;
    --holders;
  };
  std::thread other([&] {
    while (!is_over)
      kept.empty_all([&](const KeptBlocks::Block& block) {
        EXPECT_EQ(block.bytes, 128u);
        hold();
        ++emptied;
      });
  });
  int taken = 0, collected = 0;
  for (int i = 0; i < rounds; ++i) {
    EXPECT_TRUE(kept.put({address(1), 128}));
    for (bool is_back = false; !is_back;) {
      const bool was_taken = kept.take(128, 64).has_value();
      if (was_taken) hold();
      const bool was_emptied = !was_taken && kept.take_emptied().has_value();
      taken += was_taken ? 1 : 0;
      collected += was_emptied ? 1 : 0;
      is_back = was_taken || was_emptied;
    }
  }
  is_over = true;
  other.join();
  EXPECT_EQ(most, 0);
  EXPECT_EQ(collected, emptied);
  EXPECT_EQ(taken + collected, rounds);
}

TEST(SmallBlocks, every_size_has_a_kind_that_holds_it_and_wastes_at_most_a_fifth_above_512) {
  for (std::size_t bytes = 1; bytes <= SmallBlocks::bytes_max; ++bytes) {
    const std::size_t kind = SmallBlocks::kind_of(bytes);
    ASSERT_GE(SmallBlocks::bytes_of(kind), bytes);
    if (kind > 0) ASSERT_LT(SmallBlocks::bytes_of(kind - 1), bytes);
    if (bytes > 512) ASSERT_LE(SmallBlocks::bytes_of(kind) - bytes, bytes / 4);
    ASSERT_EQ(SmallBlocks::kind_of(SmallBlocks::bytes_of(kind)), kind);
  }
}

TEST(SmallBlocks, the_last_one_put_is_taken_first_and_there_are_not_too_many) {
  struct alignas(64) Line {
    std::byte bytes[64];
  };
  const auto lines = std::make_unique<Line[]>(3);
  SmallBlocks blocks;
  const std::size_t kind = SmallBlocks::kind_of(64);
  for (int i = 0; i < 3; ++i) ASSERT_TRUE(blocks.put(kind, &lines[static_cast<std::size_t>(i)]));
  EXPECT_EQ(blocks.take(kind, 64), &lines[2]);
  EXPECT_EQ(blocks.take(kind + 1, 64), nullptr);
  EXPECT_NE(blocks.take_any(), nullptr);
  EXPECT_NE(blocks.take_any(), nullptr);
  EXPECT_EQ(blocks.take_any(), nullptr);
}

}  // namespace
}  // namespace armature::space
