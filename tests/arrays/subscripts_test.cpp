// gather, scatter and scatter_accumulate by subscript arrays that are distributed themselves.
#include <tuple>

#include "cases.hpp"

using namespace arrays;
using armature::Errc;
using conformance::expect_error;

namespace {

/// Makes an array of numbers below `bound`, or of the numbers from 0 on, in another order.
template <class I, int M>
armature::distributed_array<I, M> subscripts(Random& random, const Indices<M>& shape,
                                             Model<M>& model, std::ptrdiff_t bound, bool is_order) {
  auto options = random_options<M>(random, shape, random_kinds<M>(random), true);
  options.name = "subscripts";
  armature::distributed_array<I, M> array(world(), shape, options);
  std::ptrdiff_t number = 0;
  for (long& value : model.data) value = is_order ? number++ : random(0, bound - 1);
  for (std::size_t i = model.data.size(); is_order && i > 1; --i)
    std::swap(model.data[i - 1],
              model.data[static_cast<std::size_t>(random(0, static_cast<std::ptrdiff_t>(i) - 1))]);
  const auto mine = array.local();
  for_all<M>(mine.extents(),
             [&](const Indices<M>& i) { mine[i] = static_cast<I>(model[array.global(i)]); });
  return array;
}

}  // namespace

TEST(Subscripts, gather_agrees_with_the_model) {
  for_seeds(30, [](Random& random) {
    Numbered<3> from(random, random_shape<3>(random, 6), 100);
    Numbered<2> to(random, random_shape<2>(random, 9), 0);
    const Indices<2> shape = to.model.shape;
    Model<2> i(shape), j(shape), k(shape);
    const auto is = subscripts<int>(random, shape, i, from.model.shape[0], false);
    const auto js = subscripts<long>(random, shape, j, from.model.shape[1], false);
    const auto ks = subscripts<unsigned char>(random, shape, k, from.model.shape[2], false);
    gather(from.array, std::tie(is, js, ks), to.array);
    for_all<2>(shape, [&](const Indices<2>& at) {
      to.model[at] = from.model[{i[at], j[at], k[at]}];
    });
    expect_blocks(to.array, to.model);
    to.array.fence();
  });
}

TEST(Subscripts, an_array_is_gathered_from_itself_as_if_all_were_read_first) {
  for_seeds(20, [](Random& random) {
    const Indices<1> shape{random(1, 40)};
    Numbered<1> array(random, shape, 7);
    Model<1> order(shape), before = array.model;
    const auto orders = subscripts<int>(random, shape, order, shape[0], true);
    gather(array.array, std::tie(orders), array.array);
    for_all<1>(shape, [&](const Indices<1>& at) { array.model[at] = before[{order[at]}]; });
    expect_blocks(array.array, array.model);
    array.array.fence();
  });
}

TEST(Subscripts, scatter_agrees_with_the_model) {
  for_seeds(30, [](Random& random) {
    const Indices<2> shape{random(1, 6), random(1, 6)};
    Numbered<2> from(random, shape, 500);
    // Each element of the line is named once.
    Numbered<1> to(random, {size_of<2>(shape) + random(0, 3)}, 0);
    Model<2> order(shape);
    const auto orders = subscripts<long>(random, shape, order, 0, true);
    scatter(to.array, std::tie(orders), from.array);
    for_all<2>(shape, [&](const Indices<2>& at) { to.model[{order[at]}] = from.model[at]; });
    expect_blocks(to.array, to.model);
    to.array.fence();
  });
}

TEST(Subscripts, scatter_accumulate_adds_all_that_name_an_element) {
  for_seeds(30, [](Random& random) {
    Numbered<2> to(random, random_shape<2>(random, 5), 3);
    const Indices<1> shape{random(1, 60)};
    Numbered<1> from(random, shape, 11);
    Model<1> i(shape), j(shape);
    const auto is = subscripts<short>(random, shape, i, to.model.shape[0], false);
    const auto js = subscripts<std::size_t>(random, shape, j, to.model.shape[1], false);
    if (from.array.store().is_replicated()) {
      expect_error(Errc::bad_argument, {"'tested' is replicated"},
                   [&] { scatter_accumulate(to.array, std::tie(is, js), from.array, 3); });
      return;
    }
    scatter_accumulate(to.array, std::tie(is, js), from.array, 3);
    for_all<1>(shape, [&](const Indices<1>& at) {
      to.model[{i[at], j[at]}] += 3 * from.model[at];
    });
    expect_blocks(to.array, to.model);
    to.array.fence();
  });
}

TEST(Subscripts, one_that_lies_outside_is_told_by_all_and_nothing_is_written) {
  armature::distributed_array<long, 2> array(world(), {5, 6}, {.name = "pressure"});
  armature::distributed_array<long, 1> values(world(), {20}, {.name = "values"});
  armature::distributed_array<int, 1> rows(world(), {20}), columns(world(), {20});
  fill(array, 1);
  fill(values, 8);
  if (me() == 0) columns.all().put(std::span<const int>(std::vector<int>(20, 2)));
  columns.fence();
  if (me() == ranks() - 1) columns(19) = 6;
  const std::vector<std::string> words{"'pressure'", "no index 6", "dimension 1", "has 6"};
  const auto at = std::tie(rows, columns);
  expect_error(Errc::bad_argument, words, [&] { gather(array, at, values); });
  expect_error(Errc::bad_argument, words, [&] { scatter(array, at, values); });
  expect_error(Errc::bad_argument, words, [&] { scatter_accumulate(array, at, values); });
  EXPECT_EQ(sum(array), 30);
  EXPECT_EQ(sum(values), 160);
  const armature::distributed_array<int, 1> few(world(), {19}, {.name = "few"});
  expect_error(Errc::bad_argument, {"subscripts", "'few'", "'values'", "19", "20"},
               [&] { gather(array, std::tie(rows, few), values); });
  array.fence();
}
