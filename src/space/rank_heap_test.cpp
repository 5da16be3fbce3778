#include "space/rank_heap.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <random>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

namespace armature::space {
namespace {

/// A heap as it lies in a segment: zero pages of shared memory.
class RankHeapTest : public ::testing::Test {
 protected:
  static constexpr std::size_t room = std::size_t{1} << 30;
  RankHeapTest()
      : start_(static_cast<std::byte*>(mmap(nullptr, room, PROT_READ | PROT_WRITE,
                                            MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0))),
        heap_(RankHeap::create({start_, start_ + room}, {})) {}
  ~RankHeapTest() override { munmap(start_, room); }

  [[nodiscard]] std::size_t resident_pages() const {
    std::vector<unsigned char> pages(room / 4096);
    mincore(start_, room, pages.data());
    std::size_t sum = 0;
    for (const unsigned char p : pages) sum += p & 1;
    return sum;
  }

  std::byte* start_;
  RankHeap& heap_;
};

TEST_F(RankHeapTest, blocks_of_any_size_are_apart_and_as_large_as_asked_for) {
  struct Piece {
    unsigned char* memory;
    std::size_t bytes;
    unsigned char value;
  };
  std::mt19937 random(5);
  std::vector<Piece> pieces;
  for (int i = 0; i < 20000; ++i) {
    if (!pieces.empty() && random() % 3 == 0) {
      const std::size_t which = random() % pieces.size();
      const Piece piece = pieces[which];
      for (std::size_t at = 0; at < piece.bytes; at += 97) ASSERT_EQ(piece.memory[at], piece.value);
      heap_.free(piece.memory);
      pieces[which] = pieces.back();
      pieces.pop_back();
      continue;
    }
    const std::size_t bytes = random() % 100 == 0 ? random() % 300'000 : random() % 3000;
    const std::size_t alignment = random() % 4 == 0 ? std::size_t{1} << (random() % 13) : 16;
    auto* const memory = static_cast<unsigned char*>(heap_.allocate_aligned(alignment, bytes));
    ASSERT_NE(memory, nullptr);
    ASSERT_EQ(reinterpret_cast<std::uintptr_t>(memory) % std::max<std::size_t>(alignment, 16), 0u);
    ASSERT_GE(RankHeap::usable_bytes(memory), bytes);
    const auto value = static_cast<unsigned char>(random());
    std::memset(memory, value, bytes);
    pieces.push_back({memory, bytes, value});
  }
}

TEST_F(RankHeapTest, zeros_are_zeros_also_where_something_was) {
  for (const std::size_t bytes : {1, 16, 1000, 5000, 130'000, 1'000'000}) {
    for (int round = 0; round < 3; ++round) {
      auto* const memory = static_cast<unsigned char*>(heap_.allocate_zeros(bytes));
      for (std::size_t i = 0; i < bytes; ++i) ASSERT_EQ(memory[i], 0) << bytes << ' ' << i;
      std::memset(memory, 0xff, bytes);
      heap_.free(memory);
    }
  }
}

/// Blocks of pages lie 16 bytes further each: of so many some begin with a page.
TEST_F(RankHeapTest, zeros_are_zeros_also_where_a_page_begins) {
  constexpr std::size_t bytes = 128 * 1024;
  std::vector<void*> all(300);
  for (const bool is_again : {false, true}) {
    for (void*& memory : all) memory = heap_.allocate_zeros(bytes);
    for (void* const memory : all) {
      const auto* const word = static_cast<const std::uint64_t*>(memory);
      for (std::size_t i = 0; i < bytes / sizeof *word; ++i) ASSERT_EQ(word[i], 0u) << is_again;
    }
    for (void* const memory : all) heap_.free(memory);
  }
}

TEST_F(RankHeapTest, large_blocks_give_their_pages_back) {
  void* const memory = heap_.allocate(100 << 20);
  std::memset(memory, 1, 100 << 20);
  EXPECT_GE(resident_pages(), 100u << 8);
  heap_.free(memory);
  EXPECT_LT(resident_pages(), 100u);
}

TEST_F(RankHeapTest, what_others_free_is_used_again) {
  std::vector<void*> all;
  for (int i = 0; i < 1000; ++i) all.push_back(heap_.allocate(48));
  std::thread one([&] {
    for (int i = 0; i < 500; ++i) heap_.free_from_outside(all[static_cast<std::size_t>(i)]);
  });
  std::thread two([&] {
    for (int i = 500; i < 1000; ++i) heap_.free_from_outside(all[static_cast<std::size_t>(i)]);
  });
  one.join();
  two.join();
  void* const last = *std::max_element(all.begin(), all.end());
  for (int i = 0; i < 1000; ++i) EXPECT_LE(heap_.allocate(48), last);
  EXPECT_GT(heap_.allocate(48), last);
}

TEST_F(RankHeapTest, without_room_there_is_none) {
  EXPECT_EQ(heap_.allocate(room), nullptr);
  heap_.free_from_outside(heap_.allocate(48));
  for (std::size_t bytes = room; bytes != 0; bytes *= 2) EXPECT_EQ(heap_.allocate(bytes), nullptr);
  EXPECT_EQ(heap_.allocate(SIZE_MAX), nullptr);
  EXPECT_EQ(heap_.allocate_aligned(std::size_t{1} << 62, 1), nullptr);
  EXPECT_EQ(heap_.allocate_aligned(64, SIZE_MAX - 9), nullptr);
  EXPECT_NE(heap_.allocate(1000), nullptr);
}

TEST_F(RankHeapTest, what_is_freed_twice_or_not_a_block_ends_the_process) {
  void* const memory = heap_.allocate(100);
  EXPECT_DEATH(heap_.free(static_cast<std::byte*>(memory) + 16), "does not come from malloc");
  heap_.free(memory);
  EXPECT_DEATH(heap_.free(memory), "freed already");
}

}  // namespace
}  // namespace armature::space
