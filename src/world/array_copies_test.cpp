// Copies between distributed arrays on two nodes: what goes over the network.

#include <algorithm>
#include <array>
#include <cstddef>

#include <gtest/gtest.h>

#include "armature/armature.hpp"
#include "armature/array.hpp"
#include "armature/layer/checks.hpp"
#include "harness/two_processes.hpp"

namespace armature {
namespace {

TEST(ArrayCopies, each_run_is_one_message_to_each_partner) {
  // 20 rows of the 19 or 21 columns that the other has, in 7 stretches of up to 3. What goes
  // besides, for barriers, is short.
  constexpr std::size_t fewest_bytes = std::size_t{20} * 19 * sizeof(double);
  for (const std::size_t runs : {std::size_t{1}, std::size_t{2}, std::size_t{5}}) {
    harness::Wire wire;
    std::array<std::size_t, 2> whole{}, other_bytes{};
    bool is_checked = false;
    wire.passes = [&](std::size_t to, const harness::Wire::Packet& packet) {
      const std::size_t bytes = packet.head.size() + packet.body.size();
      if (bytes >= fewest_bytes)
        ++whole[to];
      else
        other_bytes[to] = std::max(other_bytes[to], bytes);
      return true;
    };
    harness::run_two_processes(
        [&is_checked, runs](World& world) {
          if (world.rank() == 0) is_checked = layer::checks_in_full();
          const auto none = Distribution::collapsed();
          distributed_array<double, 2> rows(world, {40, 40},
                                            {.distribution = {Distribution::block(), none}});
          distributed_array<double, 2> columns(world, {40, 40},
                                               {.distribution = {none, Distribution::cyclic(3)}});
          generate(rows, [](const auto& i) { return static_cast<double>(100 * i[0] + i[1]); });
          copy_schedule remap(columns.all(), rows.all());
          EXPECT_EQ(remap.partners(), 2U);
          EXPECT_EQ(remap.messages(), 1U);
          for (std::size_t i = 0; i < runs; ++i) remap.run();
          const auto mine = columns.local();
          for (std::ptrdiff_t i = 0; i < mine.extent(0); ++i)
            for (std::ptrdiff_t j = 0; j < mine.extent(1); ++j) {
              const auto at = columns.global({i, j});
              EXPECT_EQ(mine(i, j), static_cast<double>(100 * at[0] + at[1]));
            }
          columns.fence();
        },
        wire);
    if (is_checked) continue;  // questions about each stretch travel, too
    EXPECT_EQ(whole[0], runs);
    EXPECT_EQ(whole[1], runs);
    EXPECT_LT(other_bytes[0], fewest_bytes / 4);
    EXPECT_LT(other_bytes[1], fewest_bytes / 4);
  }
}

}  // namespace
}  // namespace armature
