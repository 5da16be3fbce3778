#include <atomic>
#include <vector>

#include <gtest/gtest.h>

#include "armature/team.hpp"
#include "armature/world.hpp"
#include "team/team_state.hpp"
#include "world/ranks_in_process.hpp"

namespace armature {
namespace {

/// Rounds that a collective of four members takes.
template <class Do>
std::uint64_t rounds_of(Do&& collective) {
  std::atomic<std::uint64_t> taken = 0;
  RanksInProcess(4).run([&](World& world) {
    const std::uint64_t before = world.state()->rounds();
    collective(world);
    taken = world.state()->rounds() - before;
  });
  return taken;
}

constexpr std::size_t block = 256 * 1024;
using Bytes = std::vector<std::uint8_t>;

TEST(RoundsTest, a_scatter_takes_as_many_as_a_gather_of_the_same_data) {
  const std::uint64_t gather = rounds_of([](World& world) {
    const Bytes mine(block);
    Bytes all(4 * block);
    world.gather(std::span<const std::uint8_t>(mine), std::span(all), 1);
  });
  EXPECT_EQ(gather, block / detail::TeamState::bytes_max);
  EXPECT_EQ(rounds_of([](World& world) {
              Bytes mine(block);
              const Bytes all(4 * block);
              world.scatter(std::span<const std::uint8_t>(all), std::span(mine), 1);
            }),
            gather);
}

TEST(RoundsTest, a_broadcast_uses_the_room_of_all_members) {
  EXPECT_EQ(rounds_of([](World& world) {
              Bytes data(block);
              world.broadcast(std::span(data), 1);
            }),
            block / (4 * detail::TeamState::bytes_max));
}

TEST(RoundsTest, what_fits_one_member_s_room_takes_one) {
  EXPECT_EQ(rounds_of([](World& world) {
              Bytes data(detail::TeamState::bytes_max);
              world.broadcast(std::span(data), 2);
            }),
            1U);
  EXPECT_EQ(rounds_of([](World& world) {
              Bytes mine(detail::TeamState::bytes_max / 4);
              const Bytes all(detail::TeamState::bytes_max);
              world.scatter(std::span<const std::uint8_t>(all), std::span(mine), 2);
            }),
            1U);
}

}  // namespace
}  // namespace armature
