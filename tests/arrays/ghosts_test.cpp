#include "cases.hpp"

using namespace arrays;

namespace {

constexpr long untouched = -7;

/// Gives all elements numbers, all ghosts another value, and exchanges.
template <int N>
void exchange_once(std::uint64_t seed) {
  Random random(seed);
  Indices<N> shape;
  for (auto& n : shape) n = random(1, N == 1 ? 30 : N == 2 ? 12 : 6);
  auto kind = random_kinds<N>(random);
  // Dimensions without ghosts may be distributed in any way.
  if (kind[0] == Kind::cyclic || kind[0] == Kind::map) kind[0] = Kind::block;
  auto options = random_options<N>(random, shape, kind, true);
  options.ghosts[0] = random(1, 3);
  armature::ghost_options<N> ghosts;
  for (auto& p : ghosts.periodic) p = random(0, 1) == 0;
  const int parts = static_cast<int>(random(1, 3));
  ghosts.parts = parts == 3 ? armature::GhostParts::corners : armature::GhostParts{parts};
  const testing::ScopedTrace trace(__FILE__, __LINE__, text<N>(seed, shape, options));
  armature::distributed_array<long, N> array(world(), shape, options);
  Model<N> model(shape);
  std::ranges::fill(array.local_memory(), untouched);
  number(array, model);
  if (seed % 2 == 0) {
    exchange_ghosts(array, ghosts);
  } else {
    armature::ghost_exchange<N> exchange(array, ghosts);
    for (int turn = 0; turn < 2; ++turn) {
      exchange.start();
      exchange.wait();
    }
  }
  const auto view = array.local();
  const bool is_empty = view.size() == 0;
  Indices<N> padded = view.extents(), first = is_empty ? Indices<N>{} : array.global({});
  for (std::size_t d = 0; d < N; ++d) padded[d] += 2 * options.ghosts[d];
  if (!is_empty)
    for_all<N>(padded, [&](const Indices<N>& number) {
      Indices<N> local, global;
      int outside = 0;
      bool is_there = true;
      for (std::size_t d = 0; d < N; ++d) {
        local[d] = number[d] - options.ghosts[d];
        const bool is_mine = local[d] >= 0 && local[d] < view.extents()[d];
        Indices<N> inner{};
        inner[d] = local[d];
        global[d] = is_mine ? array.global(inner)[d] : first[d] + local[d];
        if (!is_mine) ++outside;
        is_there &= ghosts.periodic[d] || (global[d] >= 0 && global[d] < shape[d]);
      }
      const bool is_exchanged = is_there && outside <= static_cast<int>(ghosts.parts);
      EXPECT_EQ(view[local], is_exchanged ? model.wrapped(global) : untouched) << outside;
    });
  array.fence();
}

template <int N>
void exchange_many(int times) {
  for (int i = 0; i < times && !testing::Test::HasFailure(); ++i)
    exchange_once<N>(static_cast<std::uint64_t>(100 * N + i));
}

}  // namespace

TEST(Ghosts, are_what_the_neighbours_have) {
  exchange_many<1>(conformance::often(30));
  exchange_many<2>(conformance::often(30));
}
TEST(Ghosts, are_what_the_neighbours_have_in_more_dimensions) {
  exchange_many<3>(conformance::often(30));
  exchange_many<4>(conformance::often(10));
}

TEST(Ghosts, each_neighbour_costs_one_transfer) {
  armature::distributed_array<long, 1> line(world(), {4L * ranks()}, {.ghosts = {2}});
  const armature::ghost_exchange<1> open(line);
  const int neighbours = (me() > 0 ? 1 : 0) + (me() + 1 < ranks() ? 1 : 0);
  EXPECT_EQ(open.partners(), static_cast<std::size_t>(neighbours));
  // In a ring of two, the neighbour on both sides is the same.
  const armature::ghost_exchange<1> ring(line, {.periodic = {true}});
  EXPECT_EQ(ring.partners(),
            static_cast<std::size_t>(std::min(ranks() == 1 ? 1 : 2, std::max(ranks() - 1, 1))));
  line.fence();
}
