#include <ranges>

#include "cases.hpp"

using namespace arrays;

namespace {

/// One copy between two arrays of those kinds, whose dimensions change places.
template <int N>
void copy_once(std::uint64_t seed, const std::array<Kind, N>& to_kind,
               const std::array<Kind, N>& from_kind) {
  Random random(seed);
  const std::ptrdiff_t longest = N == 1 ? 40 : N == 2 ? 12 : 5;
  std::array<int, N> order;
  for (std::size_t d = 0; d < N; ++d) order[d] = static_cast<int>(d);
  for (std::size_t d = N; d-- > 1;)
    std::swap(order[d], order[static_cast<std::size_t>(random(0, static_cast<long>(d)))]);
  const auto shape = random_shape<N>(random, longest);
  auto from_shape = random_shape<N>(random, longest);
  Ranges<N> to_ranges, from_ranges;
  for (std::size_t d = 0; d < N; ++d) {
    const auto e = static_cast<std::size_t>(order[d]);
    to_ranges[d] = random_range(random, std::min(shape[d], from_shape[e]))
                       .within(std::min(shape[d], from_shape[e]));
    if (to_ranges[d].is_index()) to_ranges[d] = Range::of(to_ranges[d].first(), 1);
    from_ranges[e] = random_partner(random, to_ranges[d], from_shape[e]);
  }
  const auto options = random_options<N>(random, shape, to_kind, true);
  const auto from_options = random_options<N>(random, from_shape, from_kind, true);
  const testing::ScopedTrace trace(
      __FILE__, __LINE__,
      text<N>(seed, shape, options) + " from " + text<N>(seed, from_shape, from_options));
  armature::distributed_array<long, N> to(world(), shape, options);
  armature::distributed_array<long, N> from(world(), from_shape, from_options);
  Model<N> to_model(shape), from_model(from_shape);
  number(to, to_model);
  number(from, from_model, 1'000'000);
  to[to_ranges] = from[from_ranges].permuted(std::span<const int>(order));
  Indices<N> counts;
  for (std::size_t d = 0; d < N; ++d) counts[d] = to_ranges[d].count();
  for_all<N>(counts, [&](const Indices<N>& number) {
    Indices<N> i, j;
    for (std::size_t d = 0; d < N; ++d) {
      const auto e = static_cast<std::size_t>(order[d]);
      i[d] = to_ranges[d][number[d]];
      j[e] = from_ranges[e][number[d]];
    }
    to_model[i] = from_model[j];
  });
  expect_blocks(to, to_model);
  to.fence();
}

}  // namespace

TEST(Copies, every_pair_of_distributions_agrees_with_the_model_in_one_dimension) {
  std::uint64_t seed = 0;
  for (const Kind to : kinds)
    for (const Kind from : kinds)
      for (int i = 0; i < conformance::often(5) && !testing::Test::HasFailure(); ++i)
        copy_once<1>(++seed, {to}, {from});
}

TEST(Copies, every_pair_of_distributions_agrees_with_the_model_in_two_dimensions) {
  std::uint64_t seed = 1000;
  for (const Kind to : kinds)
    for (const Kind from : kinds)
      for (int i = 0; i < conformance::often(5) && !testing::Test::HasFailure(); ++i) {
        Random random(++seed);
        copy_once<2>(seed, {to, random.kind()}, {random.kind(), from});
      }
}

TEST(Copies, more_dimensions_agree_with_the_model) {
  for (std::uint64_t seed = 2000;
       seed < 2000U + static_cast<unsigned>(conformance::often(40)) && !testing::Test::HasFailure();
       ++seed) {
    Random random(seed);
    copy_once<3>(seed, random_kinds<3>(random), random_kinds<3>(random));
    if (seed % 2 == 0) copy_once<4>(seed, random_kinds<4>(random), random_kinds<4>(random));
    if (seed % 4 == 0) copy_once<5>(seed, random_kinds<5>(random), random_kinds<5>(random));
  }
}

TEST(Copies, a_plane_becomes_a_matrix_and_a_row_a_column) {
  armature::distributed_array<long, 3> cube(world(), {4, 5, 6});
  armature::distributed_array<long, 2> matrix(
      world(), {7, 8}, {.distribution = {Distribution::cyclic(), Distribution::block()}});
  Model<3> cube_model({4, 5, 6});
  Model<2> matrix_model({7, 8});
  number(cube, cube_model);
  number(matrix, matrix_model, 1000);
  matrix[{Range(0, 4), Range(1, 7)}] = cube[{Range(), 3, Range()}];
  for (int i = 0; i < 4; ++i)
    for (int k = 0; k < 6; ++k) matrix_model[{i, k + 1}] = cube_model[{i, 3, k}];
  expect_blocks(matrix, matrix_model);
  cube[{2, Range(4, 0, -1), 0}] = matrix[{6, Range(0, 8, 2)}];
  for (int j = 0; j < 4; ++j) cube_model[{2, 4 - j, 0}] = matrix_model[{6, 2 * j}];
  expect_blocks(cube, cube_model);
  cube.fence();
}

TEST(Copies, overlapping_sections_of_one_array_are_read_before_they_are_written) {
  for (const auto& distribution : {Distribution::block(), Distribution::cyclic(2)}) {
    armature::distributed_array<long, 1> array(world(), {30}, {.distribution = {distribution}});
    Model<1> model({30});
    number(array, model);
    armature::copy_schedule shift(array[{Range(1, 30)}], array[{Range(0, 29)}]);
    for (int turn = 0; turn < 3; ++turn) {
      shift.run();
      std::shift_right(model.data.begin(), model.data.end(), 1);
      expect_blocks(array, model);
      array.fence();
    }
    array.all() = array.periodic({Range(-4, 26)});  // a circular shift
    std::ranges::rotate(model.data, model.data.end() - 4);
    expect_blocks(array, model);
    array.fence();
  }
}

TEST(Copies, one_message_goes_to_each_partner) {
  // Rows to columns: everyone has something for everyone.
  const std::ptrdiff_t n = 4L * ranks();
  const auto rows = Distribution::block(), none = Distribution::collapsed();
  armature::distributed_array<long, 2> from(world(), {n, n}, {.distribution = {rows, none}});
  armature::distributed_array<long, 2> to(world(), {n, n}, {.distribution = {none, rows}});
  const armature::copy_schedule remap(to.all(), from.all());
  EXPECT_EQ(remap.partners(), static_cast<std::size_t>(ranks()));
  EXPECT_EQ(remap.bytes(), 16UL * static_cast<unsigned>(ranks()) * sizeof(long));
  const auto is_far = [](int rank) { return !armature::same_node(me(), rank); };
  const auto others = std::views::iota(0, ranks());
  const auto far = static_cast<std::size_t>(std::ranges::count_if(others, is_far));
  EXPECT_EQ(remap.messages(), far);
  // Dealt out in blocks on one side, so that there are many pieces for each: as many messages.
  armature::distributed_array<long, 2> dealt(world(), {n, n},
                                             {.distribution = {none, Distribution::cyclic(2)}});
  const armature::copy_schedule deal(dealt.all(), from.all());
  EXPECT_EQ(deal.messages(), far);
  // If both are distributed alike, nobody sends to another.
  const auto like = armature::distributed_array<long, 2>::like(from);
  const armature::copy_schedule aligned(from.all(), like.all());
  EXPECT_EQ(aligned.partners(), 1U);
}

TEST(Copies, sections_of_different_shapes_are_refused) {
  armature::distributed_array<long, 2> a(world(), {4, 5}, {.name = "a"});
  armature::distributed_array<long, 2> b(world(), {4, 5}, {.name = "b"});
  conformance::expect_error(armature::Errc::bad_argument, {"'a'", "'b'", "4 x 5", "5 x 4"},
                            [&] { a.all() = b.all().transposed(); });
  conformance::expect_error(armature::Errc::bad_argument, {"'b'", "permutation"}, [&] {
    (void)b.all().permuted({0, 0});
  });
  a.fence();
}

TEST(Copies, a_copy_that_repeats_is_planned_once) {
  const armature::distributed_array<int, 2> from(world(), {12, 9},
                                                 {.distribution = {Distribution::cyclic(2), {}}});
  armature::distributed_array<int, 2> to(world(), {9, 12});
  const auto planned = [&to] { return to.store().copies().planned(); };
  for (int i = 0; i < 5; ++i) to.all() = from.all().transposed();
  EXPECT_EQ(planned(), 1U);
  to[{Range(0, 4), Range()}] = from[{Range(), Range(2, 6)}].transposed();
  to.all() = from.all().transposed();
  EXPECT_EQ(planned(), 2U);
  // The plans are bounded: with so many others, the first one is forgotten.
  for (int i = 0; i < 9; ++i) to[{i, Range()}] = from[{Range(), i}];
  to.all() = from.all().transposed();
  EXPECT_EQ(planned(), 12U);
  // Another array, perhaps at the place of one that is gone.
  for (int i = 0; i < 2; ++i) {
    armature::distributed_array<int, 2> passing(world(), {9, 12});
    fill(passing, i + 1);
    to.all() = passing.all();
    EXPECT_EQ(sum(to), (i + 1) * 9 * 12);
  }
  EXPECT_EQ(planned(), 14U);
}
