#include "cases.hpp"

using namespace arrays;

TEST(Over, arrays_over_one_memory_share_its_elements) {
  for_seeds(20, [](Random& random) {
    const auto shape = random_shape<2>(random, 12);
    const auto options = random_options<2>(random, shape, random_kinds<2>(random), true);
    const armature::distributed_array<long, 2> like(world(), shape, options);
    const auto size = static_cast<std::size_t>(like.store().block().size);
    auto piece = world().allocate<long>(size + 3);
    {
      auto a = armature::array_over<long, 2>(world(), piece, shape, options);
      auto b = armature::array_over<long, 2>(world(), piece, shape, options);
      EXPECT_TRUE(a.is_aligned_with(like));
      Model<2> model(shape);
      number(a, model, 100);
      expect_blocks(b, model);
      b.fence();
      const auto ranges = random_ranges<2>(random, shape);
      if (me() == ranks() - 1)
        b[ranges].put(std::vector<long>(static_cast<std::size_t>(b[ranges].size()), 7));
      for_section<2>(ranges, [&](const Indices<2>& i) { model[i] = 7; });
      b.fence();
      expect_blocks(a, model);
      Numbered<2> other(random, shape, 0);
      other.array.all() = a.all();
      expect_blocks(other.array, model);
      other.array.fence();
    }
    // It was not given back with the arrays.
    piece.local()[size] = me();
    world().barrier();
    EXPECT_EQ(piece.local()[size], me());
    world().free(piece);
  });
}

TEST(Over, too_little_memory_is_named) {
  auto piece = world().allocate<long>(5);
  conformance::expect_error(
      armature::Errc::bad_argument, {"'little'", "member 0", "5 elements"}, [&] {
        (void)armature::array_over<long, 1>(world(), piece, {6 * ranks()}, {.name = "little"});
      });
  world().free(piece);
}
