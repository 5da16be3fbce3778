#include <atomic>
#include <vector>

#include <gtest/gtest.h>

#include "armature/collectives.hpp"
#include "armature/world.hpp"
#include "harness/rank_threads.hpp"
#include "team/team_state.hpp"

namespace armature {
namespace {

/// Rounds that a collective of four members takes.
template <class Do>
std::uint64_t rounds_of(Do&& collective) {
  std::atomic<std::uint64_t> taken = 0;
  harness::RankThreads(4).run([&](World& world) {
    const std::uint64_t before = world.state()->lines().round();
    collective(world);
    taken = world.state()->lines().round() - before;
  });
  return taken;
}

constexpr std::size_t block = 256 * 1024;
using Bytes = std::vector<std::uint8_t>;

/// One round shows where data lie, and one ends reading, where the others' memory can be read.
TEST(RoundsTest, long_data_take_two_however_long) {
  for (const std::size_t bytes : {2 * block, 64 * block}) {
    EXPECT_EQ(rounds_of([&](World& world) {
                Bytes data(bytes);
                broadcast(world, std::span(data), 1);
              }),
              2U);
    EXPECT_EQ(rounds_of([&](World& world) {
                const Bytes mine(bytes);
                Bytes all(bytes);
                alltoall(world, std::span<const std::uint8_t>(mine), std::span(all));
              }),
              2U);
    EXPECT_EQ(rounds_of([&](World& world) {
                Bytes mine(bytes);
                const Bytes all(4 * bytes);
                scatter(world, std::span<const std::uint8_t>(all), std::span(mine), 1);
              }),
              2U);
    EXPECT_EQ(rounds_of([&](World& world) {
                const Bytes mine(bytes);
                Bytes all(4 * bytes);
                gather(world, std::span<const std::uint8_t>(mine), std::span(all), 1);
                allgather(world, std::span<const std::uint8_t>(mine), std::span(all));
              }),
              4U);
  }
}

TEST(RoundsTest, short_data_take_one) {
  constexpr std::size_t bytes = 8 * 1024;
  EXPECT_EQ(rounds_of([](World& world) {
              Bytes data(bytes);
              broadcast(world, std::span(data), 2);
            }),
            1U);
  EXPECT_EQ(rounds_of([](World& world) {
              Bytes mine(bytes / 4);
              const Bytes all(bytes);
              scatter(world, std::span<const std::uint8_t>(all), std::span(mine), 2);
            }),
            1U);
  EXPECT_EQ(rounds_of([](World& world) {
              const Bytes mine(bytes);
              Bytes all(bytes);
              alltoall(world, std::span<const std::uint8_t>(mine), std::span(all));
            }),
            1U);
}

}  // namespace
}  // namespace armature
