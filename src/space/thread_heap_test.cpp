#include "space/thread_heap.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <cstring>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

namespace armature::space {
namespace {

/// A heap as it lies in a segment: zero pages of shared memory.
class ThreadHeapTest : public ::testing::Test {
 protected:
  static constexpr std::size_t near = std::size_t{1} << 20, room = std::size_t{1} << 30;
  ThreadHeapTest()
      : start_(static_cast<std::byte*>(mmap(nullptr, room, PROT_READ | PROT_WRITE,
                                            MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0))),
        heap_(RankHeap::create({start_, start_ + near}, {start_ + near, start_ + room})) {
    heap_.share();
  }
  ~ThreadHeapTest() override { munmap(start_, room); }

  std::byte* start_;
  RankHeap& heap_;
};

/// Fills, and looks whether it is still there.
class Piece {
 public:
  Piece(void* memory, std::size_t bytes, int value)
      : memory_(static_cast<unsigned char*>(memory)), bytes_(bytes), value_(value & 0xff) {
    std::memset(memory_, value_, bytes_);
  }
  [[nodiscard]] bool is_whole() const {
    return std::all_of(memory_, memory_ + bytes_, [&](unsigned char c) { return c == value_; });
  }
  [[nodiscard]] void* memory() const { return memory_; }

 private:
  unsigned char* memory_;
  std::size_t bytes_;
  int value_;
};

TEST_F(ThreadHeapTest, threads_and_their_rank_allocate_at_the_same_time) {
  std::vector<std::vector<Piece>> pieces(4);
  const auto fill = [&](std::size_t who, auto&& allocate) {
    for (std::size_t i = 0; i < 20'000; ++i) {
      const std::size_t bytes = i % 500 == 0 ? 200'000 : 16 + i % 900;
      pieces[who].emplace_back(allocate(bytes), bytes, static_cast<int>(who * 50 + i));
    }
  };
  {
    std::vector<std::jthread> threads;
    for (std::size_t who = 1; who < pieces.size(); ++who)
      threads.emplace_back([&, who] {
        ThreadHeap* const heap = ThreadHeap::borrow(heap_);
        fill(who, [&](std::size_t bytes) { return heap->allocate(bytes); });
        heap->give_back();
      });
    fill(0, [&](std::size_t bytes) { return heap_.allocate(bytes); });
  }
  for (const auto& of_one : pieces)
    for (const Piece& piece : of_one) ASSERT_TRUE(piece.is_whole());
  for (const auto& of_one : pieces)
    for (const Piece& piece : of_one) heap_.free(piece.memory());
}

/// Else a loop whose threads make what the rank deletes would take ever more.
TEST_F(ThreadHeapTest, what_the_rank_frees_its_threads_use_again) {
  std::vector<void*> all(1000);
  void* highest = nullptr;
  for (int round = 0; round < 20; ++round) {
    ThreadHeap* const heap = ThreadHeap::borrow(heap_);
    for (void*& memory : all) memory = heap->allocate_zeros(100);
    heap->give_back();
    for (void* const memory : all) {
      EXPECT_EQ(RankHeap::usable_bytes(memory), 112u);
      heap_.free(std::memset(memory, 1, 100));
    }
    if (round == 0) highest = *std::max_element(all.begin(), all.end());
    ASSERT_LE(*std::max_element(all.begin(), all.end()), highest);
  }
}

TEST_F(ThreadHeapTest, a_thread_frees_what_its_rank_and_other_threads_have) {
  ThreadHeap* const one = ThreadHeap::borrow(heap_);
  ThreadHeap* const other = ThreadHeap::borrow(heap_);
  EXPECT_NE(one, other);
  void* const ranks = heap_.allocate(48);
  void* const others = other->allocate_aligned(4096, 48);
  void* const own = one->allocate(48);
  for (void* const memory : {ranks, others, own}) one->free(memory);
  EXPECT_EQ(one->allocate(48), own);
  EXPECT_EQ(other->allocate_aligned(4096, 48), others);
  EXPECT_EQ(heap_.allocate(48), ranks);
  one->free(own);
  EXPECT_DEATH(one->free(own), "freed already");
}

TEST_F(ThreadHeapTest, without_room_there_is_none) {
  ThreadHeap* const heap = ThreadHeap::borrow(heap_);
  EXPECT_EQ(heap->allocate(room), nullptr);
  while (heap->allocate(room / 16) != nullptr) {
  }
  EXPECT_EQ(heap_.allocate(room / 16), nullptr);
  EXPECT_NE(heap->allocate(100), nullptr);
}

TEST_F(ThreadHeapTest, mapped_pages_are_zeros_and_are_used_again) {
  std::byte* const other = heap_.map(std::size_t{2} << 20, std::size_t{2} << 20);
  std::byte* const one = heap_.map(10 * 4096, 4096);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(other) % (std::size_t{2} << 20), 0u);
  EXPECT_TRUE(heap_.has_mapped(one) && heap_.has_mapped(other) && !heap_.has_mapped(start_));
  std::memset(one, 1, 10 * 4096);
  // In parts, from the middle on; some of it twice.
  heap_.unmap(one + 3 * 4096, 4 * 4096);
  heap_.unmap(one, 3 * 4096);
  heap_.unmap(one + 5 * 4096, 5 * 4096);
  EXPECT_EQ(heap_.map(10 * 4096, 4096), one);
  EXPECT_TRUE(std::all_of(one, one + 10 * 4096, [](std::byte b) { return b == std::byte{0}; }));
}

TEST_F(ThreadHeapTest, pages_of_many_mappings_are_found_again) {
  std::vector<std::byte*> all(3000);
  for (std::byte*& pages : all) pages = heap_.map(4096, 4096);
  for (std::size_t i = 0; i < all.size(); i += 2) heap_.unmap(all[i], 4096);
  // Less what it takes to note them.
  const std::byte* const lowest = *std::min_element(all.begin(), all.end()) - 32 * 4096;
  for (std::size_t i = 0; i < all.size(); i += 2) ASSERT_GE(heap_.map(4096, 4096), lowest);
}

}  // namespace
}  // namespace armature::space
