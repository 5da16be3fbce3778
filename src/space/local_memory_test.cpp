#include "space/local_memory.hpp"

#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <random>
#include <thread>
#include <utility>

#include <gtest/gtest.h>

#include "base/clock.hpp"
#include "space/address_space.hpp"
#include "space/job_memory.hpp"
#include "space/layout.hpp"
#include "space/node_memory.hpp"

namespace armature::space {
namespace {

using Contents = AddressSpace::Contents;
constexpr std::size_t mib = std::size_t{1} << 20;

/// A job of two ranks in this process, beside whatever it has joined.
class LocalMemoryTest : public ::testing::Test {
 protected:
  [[nodiscard]] std::byte* allocate(std::size_t bytes, Contents contents = Contents::any) {
    AddressSpace::Failure failure;
    auto* const memory =
        static_cast<std::byte*>(space_.local().allocate(bytes, 64, contents, failure));
    EXPECT_NE(memory, nullptr) << failure.limit;
    return memory;
  }
  void free(void* memory) { EXPECT_TRUE(space_.free(memory, Allocation::Kind::local)); }
  [[nodiscard]] std::size_t resident() const {
    struct stat status {};
    fstat(memory_.segments[0].get(), &status);
    return static_cast<std::size_t>(status.st_blocks) * 512;
  }
  [[nodiscard]] std::uint64_t awaited() const {
    const ReservedMemory& reserved = mapping_.mapping().header().reserved;
    return reserved.granted - reserved.settled - mapping_.mapping().process_slot(0).memory.spare;
  }

  JobMemory memory_ = JobMemory::create({.ranks = 2,
                                         .segment_base = default_base + default_room / 2,
                                         .segment_bytes = std::uint64_t{1} << 30});
  TemporaryMapping mapping_{map_control(memory_.control.get()),
                            {memory_.segments[0].get(), memory_.segments[1].get()}};
  AddressSpace space_{mapping_.mapping(), Rank(0), {memory_.segments[0].get()}};
};

TEST_F(LocalMemoryTest, a_large_one_is_promised_and_has_no_pages_before_they_are_touched) {
  const std::size_t before = resident();
  std::byte* const memory = allocate(64 * mib);
  EXPECT_LT(resident(), before + mib);
  EXPECT_GE(awaited(), 63 * mib);
  std::memset(memory, 1, 64 * mib);
  EXPECT_GE(resident(), 64 * mib);
  NodeMemory(space_).relieve();  // counts them
  EXPECT_LT(awaited(), mib);
  free(memory);
}

TEST_F(LocalMemoryTest, what_was_freed_is_kept_for_the_next) {
  for (const std::size_t bytes : {std::size_t{64}, std::size_t{5000}, 100'000 + mib, 8 * mib}) {
    std::byte* const first = allocate(bytes);
    std::memset(first, 0xee, bytes);
    const std::size_t before = resident();
    free(first);
    std::byte* const second = allocate(bytes - bytes / 20);
    EXPECT_EQ(second, first);
    EXPECT_EQ(resident(), before);
    free(second);
  }
}

TEST_F(LocalMemoryTest, zeros_are_zeros_whatever_was_there) {
  for (const std::size_t bytes : {std::size_t{64}, std::size_t{70'000}, mib, 8 * mib}) {
    std::byte* const first = allocate(bytes);
    std::memset(first, 0xee, bytes);
    free(first);
    std::byte* const second = allocate(bytes - bytes / 20, Contents::zeros);
    EXPECT_EQ(second, first);
    EXPECT_TRUE(std::all_of(second, second + bytes - bytes / 20, [](std::byte b) {
      return b == std::byte{};
    })) << bytes;
    free(second);
  }
}

TEST_F(LocalMemoryTest, what_is_kept_is_given_back_when_memory_is_short) {
  std::byte* const memory = allocate(8 * mib);
  std::memset(memory, 1, 8 * mib);
  free(memory);
  EXPECT_GE(resident(), 8 * mib);
  NodeMemory(mapping_.mapping()).relieve();  // by whoever lacks memory
  EXPECT_LT(resident(), mib);
  EXPECT_LT(awaited(), mib);
  free(allocate(8 * mib));
}

std::uint64_t played_ns = 1;

TEST_F(LocalMemoryTest, what_is_kept_is_given_back_when_the_rank_rests) {
  base::simulated.now_ns = [] { return played_ns; };
  std::byte* const memory = allocate(8 * mib);
  std::memset(memory, 1, 8 * mib);
  free(memory);
  space_.local().rest();
  played_ns += 500'000'000;
  space_.local().rest();
  EXPECT_GE(resident(), 8 * mib);
  played_ns += 2'000'000'000;
  space_.local().rest();
  base::simulated.now_ns = nullptr;
  EXPECT_LT(resident(), mib);
  EXPECT_LT(awaited(), mib);
}

TEST_F(LocalMemoryTest, no_more_is_kept_than_a_bounded_part) {
  std::byte* blocks[20];
  for (std::byte*& block : blocks) std::memset(block = allocate(24 * mib), 1, 4 * mib);
  for (std::byte* const block : blocks) free(block);
  EXPECT_LE(resident(), 44 * mib);  // at most ten are
  EXPECT_LE(awaited(), 256 * mib);
}

TEST_F(LocalMemoryTest, it_is_freed_once_and_as_what_it_is) {
  for (const std::size_t bytes : {std::size_t{64}, std::size_t{70'000}, mib}) {
    std::byte* const memory = allocate(bytes);
    for (int again = 0; again < 3; ++again) {
      EXPECT_FALSE(space_.free(memory, Allocation::Kind::collective));
      EXPECT_FALSE(space_.keep(memory + 64));
      EXPECT_FALSE(space_.free(memory + 64, Allocation::Kind::local));
      if (!space_.keep(memory)) free(memory);
      EXPECT_FALSE(space_.keep(memory));
      EXPECT_FALSE(space_.free(memory, Allocation::Kind::local));
      EXPECT_EQ(space_.reuse(bytes, 64), memory);  // the short way, after it is known
    }
    EXPECT_NE(space_.reuse(bytes, 64), memory);
  }
}

TEST_F(LocalMemoryTest, threads_of_a_process_never_have_the_same) {
  const auto use = [&](std::uint32_t name) {
    std::mt19937 random(name);
    std::array<std::pair<std::byte*, std::size_t>, 8> held{};
    for (int i = 0; i < 4000; ++i) {
      auto& [memory, bytes] = held[random() % held.size()];
      if (memory != nullptr) {
        for (std::byte* const at : {memory, memory + bytes - 1})
          ASSERT_EQ(*at, static_cast<std::byte>(name));
        if (!space_.keep(memory)) free(memory);
      }
      bytes = std::size_t{1} << random() % 19;
      memory = static_cast<std::byte*>(space_.reuse(bytes, 64));
      if (memory == nullptr) memory = allocate(bytes);
      memory[0] = memory[bytes - 1] = static_cast<std::byte>(name);
    }
    for (const auto& [memory, bytes] : held)
      if (memory != nullptr) free(memory);
  };
  std::thread first(use, 1), second(use, 2);
  use(3);
  first.join();
  second.join();
}

}  // namespace
}  // namespace armature::space
