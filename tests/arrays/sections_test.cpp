#include "cases.hpp"

using namespace arrays;

namespace {

/// One member writes, adds to and reads sections; the model does the same.
template <int N>
void transfer_sections(std::uint64_t seed, bool is_periodic) {
  Random random(seed);
  const auto shape = random_shape<N>(random, N == 1 ? 40 : N == 2 ? 12 : 5);
  const auto options = random_options<N>(random, shape, random_kinds<N>(random), true);
  const testing::ScopedTrace trace(__FILE__, __LINE__, text<N>(seed, shape, options));
  armature::distributed_array<long, N> array(world(), shape, options);
  Model<N> model(shape);
  number(array, model);
  for (int turn = 0; turn < 6; ++turn) {
    auto ranges = random_ranges<N>(random, shape, is_periodic ? 7 : 0);
    // No element of what is written comes twice.
    for (std::size_t d = 0; d < N && is_periodic; ++d)
      if (ranges[d].count() * std::abs(ranges[d].step()) > shape[d])
        ranges[d] = Range::of(ranges[d].first(), shape[d], ranges[d].step() < 0 ? -1 : 1);
    const auto section = is_periodic ? array.periodic(ranges) : array[ranges];
    std::vector<long> values;
    const bool adds = turn % 2 == 1;
    for_section<N>(ranges, [&](const Indices<N>& i) {
      const long value = random(0, 1'000'000);
      values.push_back(value);
      long& element = model.wrapped(i);
      element = adds ? element + 3 * value : value;
    });
    if (turn % ranks() == me()) {
      if (adds)
        section.accumulate(values, 3);
      else
        section.put(values);
    }
    array.fence();
    std::vector<long> seen(values.size(), -1), expected;
    for_section<N>(ranges, [&](const Indices<N>& i) { expected.push_back(model.wrapped(i)); });
    section.get(seen);
    EXPECT_EQ(seen, expected);
    array.fence();
  }
  expect_blocks(array, model);
  array.fence();
}

template <int N>
void transfer_many(int times) {
  for (int i = 0; i < times && !testing::Test::HasFailure(); ++i)
    transfer_sections<N>(static_cast<std::uint64_t>(1000 * N + i), i % 3 == 2);
}

}  // namespace

TEST(Sections, put_get_and_accumulate_agree_with_the_model_in_one_dimension) {
  transfer_many<1>(conformance::often(60));
}
TEST(Sections, put_get_and_accumulate_agree_with_the_model_in_two_dimensions) {
  transfer_many<2>(conformance::often(60));
}
TEST(Sections, put_get_and_accumulate_agree_with_the_model_in_three_dimensions) {
  transfer_many<3>(conformance::often(40));
}
TEST(Sections, put_get_and_accumulate_agree_with_the_model_in_five_dimensions) {
  transfer_many<4>(conformance::often(20));
  transfer_many<5>(conformance::often(20));
}

TEST(Sections, a_periodic_section_may_be_longer_than_the_array) {
  armature::distributed_array<long, 1> array(world(), {5}, {.grid = {ranks() > 3 ? 3 : 0}});
  Model<1> model({5});
  number(array, model);
  EXPECT_EQ(array.periodic({Range(-3, 9)}).get(),
            (std::vector<long>{2, 3, 4, 0, 1, 2, 3, 4, 0, 1, 2, 3}));
  array.fence();
}

TEST(Sections, views_with_strides_are_filled_and_read) {
  armature::distributed_array<long, 2> array(world(), {8, 6});
  Model<2> model({8, 6});
  number(array, model);
  // A transposed window of a larger buffer.
  std::vector<long> buffer(100, -1);
  const armature::array_view<long, 2> window(buffer.data() + 11, {3, 4}, {1, 10});
  array[{Range(1, 7, 2), Range(5, 1, -1)}].get(window);
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 4; ++j)
      EXPECT_EQ(buffer[static_cast<std::size_t>(11 + i + 10 * j)],
                model.data[static_cast<std::size_t>((1 + 2 * i) * 6 + 5 - j)]);
  EXPECT_EQ(std::ranges::count(buffer, -1), 88);
  array.fence();
  if (me() == ranks() - 1) array[{Range(0, 3), Range(0, 4)}].put(window);
  array.fence();
  EXPECT_EQ((array[{2, 3}].get()), std::vector<long>{model.data[5 * 6 + 2]});
  array.fence();
}

TEST(Sections, repeated_transfers_are_those_of_the_buffer_that_is_given) {
  for (const auto& distribution :
       {Distribution::block(), Distribution::cyclic(), Distribution::cyclic(3)}) {
    armature::distributed_array<long, 2> array(world(), {30, 8}, {.distribution = {distribution}});
    Model<2> model({30, 8});
    number(array, model);
    // More sections than plans are kept, each with several buffers.
    std::vector<std::vector<long>> buffers(3, std::vector<long>(200));
    for (std::ptrdiff_t turn = 0; turn < 60; ++turn) {
      const std::ptrdiff_t low = turn % 11;
      const auto section = array[{Range(low, low + 20, 2), Range(0, 5)}];
      auto& buffer = buffers[static_cast<std::size_t>(turn % 3)];
      std::vector<long> expected;
      for_section<2>({Range(low, low + 20, 2), Range(0, 5)},
                     [&](const Indices<2>& i) { expected.push_back(model[i]); });
      section.get(std::span(buffer).subspan(static_cast<std::size_t>(turn), 50));
      EXPECT_TRUE(std::ranges::equal(std::span(buffer).subspan(static_cast<std::size_t>(turn), 50),
                                     expected));
    }
    array.fence();
    // Members write what they have to add in turn.
    auto add = array[{Range(3, 30, 3), 2}].accumulate_schedule(
        std::span<const long>(buffers[0]).first(9), 2);
    for (long turn = 0; turn < 4; ++turn) {
      std::ranges::fill(buffers[0], turn + me());
      add.start();
      add.wait();
      for (std::ptrdiff_t i = 3; i < 30; i += 3)
        for (int rank = 0; rank < ranks(); ++rank) model[{i, 2}] += 2 * (turn + rank);
    }
    array.fence();
    expect_blocks(array, model);
    array.fence();
  }
}

TEST(Sections, a_handle_tells_when_all_ranks_have_answered) {
  armature::distributed_array<long, 2> array(world(), {20, 20});
  Model<2> model({20, 20});
  number(array, model);
  std::vector<long> seen(400);
  auto handle = array.all().get_async(std::span<long>(seen));
  handle.wait();
  EXPECT_TRUE(handle.test());
  EXPECT_EQ(seen, model.data);
  array.fence();
}

TEST(Sections, each_rank_concerned_costs_one_operation) {
  // Blocks, and blocks that are dealt out: of several runs, too, it is one.
  for (const auto& distribution :
       {Distribution::block(), Distribution::cyclic(), Distribution::cyclic(3)}) {
    armature::distributed_array<long, 2> array(
        world(), {60, 7}, {.distribution = {distribution, Distribution::collapsed()}});
    const auto section = array[{Range(0, 60, 2), Range(1, 6)}];
    std::vector<long> seen(30 * 5);
    armature::detail::ArrayTransfers transfers(armature::detail::ArrayTransfers::Verb::get,
                                               sizeof(long));
    array.store().add(armature::detail::plan_section(array.layout(), section.section(), {5, 1}),
                      reinterpret_cast<std::byte*>(seen.data()), transfers);
    EXPECT_EQ(transfers.ranks(), section.owners().size());
    std::size_t far = 0;
    for (const int member : section.owners()) far += !armature::same_node(me(), member);
    EXPECT_EQ(transfers.messages(), far);
    EXPECT_EQ(transfers.bytes(), seen.size() * sizeof(long));
    // Not more are under way than ranks that are on another node.
    auto handle = section.get_async(std::span<long>(seen));
    EXPECT_LE(handle.ranks(), section.owners().size());
    handle.wait();
    array.fence();
  }
}
