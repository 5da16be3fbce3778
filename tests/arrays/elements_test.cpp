#include "cases.hpp"

using namespace arrays;

TEST(Elements, any_member_reads_and_writes_them) {
  armature::distributed_array<double, 2> array(world(), {6, 7});
  for (int i = 0; i < 6; ++i)
    for (int j = 0; j < 7; ++j)
      if ((i * 7 + j) % ranks() == me()) array(i, j) = 10 * i + j;
  array.fence();
  for (int i = 0; i < 6; ++i)
    for (int j = 0; j < 7; ++j) EXPECT_EQ(array(i, j), 10 * i + j);
  array.fence();
  if (me() == 0) array(5, 6) += 0.5;
  array.fence();
  EXPECT_EQ(std::as_const(array)(5, 6), 56.5);
  array.fence();
}

TEST(Elements, read_increment_gives_every_number_once) {
  armature::distributed_array<long, 1> counters(world(), {2 * ranks()});
  long sum = 0;
  for (int i = 0; i < 10; ++i) sum += counters.read_increment({2 * ranks() - 1});
  const long n = 10L * ranks();
  EXPECT_EQ(allreduce(world(), sum), n * (n - 1) / 2);
  EXPECT_EQ(counters(2 * ranks() - 1), n);
  counters.fence();
}

TEST(Elements, gather_scatter_and_scatter_accumulate_agree_with_the_model) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    Random random(seed);
    const auto shape = random_shape<3>(random, 6);
    const auto options = random_options<3>(random, shape, random_kinds<3>(random), true);
    armature::distributed_array<long, 3> array(world(), shape, options);
    Model<3> model(shape);
    number(array, model);
    std::vector<Indices<3>> at;
    std::vector<long> values;
    for (int i = 0; i < 30; ++i) {
      at.push_back({random(0, shape[0] - 1), random(0, shape[1] - 1), random(0, shape[2] - 1)});
      values.push_back(random(0, 1000));
    }
    // All add; an element may come several times.
    scatter_accumulate(array, at, values, 2);
    array.fence();
    for (std::size_t i = 0; i < at.size(); ++i) model[at[i]] += 2L * ranks() * values[i];
    std::vector<long> seen(at.size());
    gather(array, at, seen);
    for (std::size_t i = 0; i < at.size(); ++i) EXPECT_EQ(seen[i], model[at[i]]);
    array.fence();
    // The last value of an element, once.
    std::vector<Indices<3>> once;
    for (const auto& i : at)
      if (std::ranges::find(once, i) == once.end()) once.push_back(i);
    for (std::size_t i = 0; i < once.size(); ++i) model[once[i]] = values[i];
    if (me() == static_cast<int>(seed) % ranks())
      scatter(array, once, std::span<const long>(values).first(once.size()));
    array.fence();
    expect_blocks(array, model);
    array.fence();
  }
}

TEST(Elements, a_mistake_names_the_array_the_index_and_the_bound) {
  armature::distributed_array<long, 2> array(world(), {4, 9}, {.name = "pressure"});
  const std::vector<std::string> words{"'pressure'", "no index 9", "dimension 1", "has 9"};
  using armature::Errc;
  using conformance::expect_error;
  expect_error(Errc::bad_argument, words, [&] { array(3, 9) = 1; });
  expect_error(Errc::bad_argument, words, [&] { (void)std::as_const(array)(3, 9); });
  expect_error(Errc::bad_argument, words, [&] { (void)array[{Range(), Range(0, 10)}]; });
  expect_error(Errc::bad_argument, words, [&] { (void)array[{3, 9}]; });
  expect_error(Errc::bad_argument, {"'pressure'", "no index -1", "dimension 0"}, [&] {
    (void)array[{Range(3, -2, -1), 0}];
  });
  std::vector<long> five(5);
  expect_error(Errc::bad_argument, {"'pressure'", "4 x 2", "view of 5"}, [&] {
    array[{Range(), Range(0, 2)}].get(five);
  });
  const Indices<2> far[] = {{0, 0}, {4, 0}};
  expect_error(Errc::bad_argument, {"'pressure'", "no index 4", "dimension 0", "has 4"},
               [&] { gather(array, far, std::span<long>(five).first(2)); });
  expect_error(Errc::bad_argument, {"'pressure'", "2 indices and 5 values"},
               [&] { gather(array, far, five); });
  array.fence();
}

TEST(Elements, options_that_do_not_fit_are_refused_by_all) {
  using armature::Errc;
  using conformance::expect_error;
  using Array = armature::distributed_array<long, 2>;
  expect_error(Errc::bad_argument, {"'q'", "more positions", std::to_string(ranks())}, [] {
    (void)Array(world(), {4, 4}, {.name = "q", .grid = {ranks() + 1, 1}});
  });
  expect_error(Errc::bad_argument, {"'q'", "dimension 1", "do not hold 9"}, [] {
    (void)Array(world(), {4, 9},
                {.name = "q",
                 .distribution = {Distribution::block(), Distribution::block(8)},
                 .grid = {0, 1}});
  });
  expect_error(Errc::bad_argument, {"'q'", "dimension 0", "add up to 4"}, [] {
    (void)Array(world(), {4, 9}, {.name = "q", .distribution = {Distribution::gen_block({3})}});
  });
  expect_error(Errc::bad_argument, {"'q'", "dimension 0", "ghosts", "not in blocks"}, [] {
    (void)Array(world(), {4, 9},
                {.name = "q", .distribution = {Distribution::cyclic()}, .ghosts = {1, 0}});
  });
  expect_error(Errc::bad_argument, {"'q'", "-1 indices"}, [] {
    (void)Array(world(), {4, -1}, {.name = "q"});
  });
}

TEST(Elements, an_array_like_another_is_aligned_with_it) {
  armature::distributed_array<long, 2> array(
      world(), {9, 8},
      {.distribution = {Distribution::cyclic(2)}, .order = armature::Order::column_major});
  const auto other = armature::distributed_array<double, 2>::like(array, "other");
  EXPECT_TRUE(other.is_aligned_with(array));
  EXPECT_EQ(other.local().extents(), array.local().extents());
  EXPECT_EQ(other.name(), "other");
  const armature::distributed_array<long, 2> third(world(), {9, 8});
  EXPECT_FALSE(third.is_aligned_with(array));
}
