#include <numeric>

#include "cases.hpp"

using namespace arrays;

namespace {

/// The caller has the same of an array of one dimension as of a dimension of another.
template <int N>
void expect_alignment(const armature::distributed_array<long, 1>& line,
                      const armature::distributed_array<long, N>& other, int d,
                      std::ptrdiff_t first, bool is_replicated) {
  const auto at = other.layout().place(me());
  const auto mine = line.local();
  bool is_edge = at[0] >= 0;  // position 0 of the dimensions that the line has not
  for (int e = 0; e < N; ++e) is_edge &= e == d || at[static_cast<std::size_t>(e)] == 0;
  std::vector<std::ptrdiff_t> has, expected;
  for (std::ptrdiff_t i = 0; i < mine.size(); ++i) has.push_back(line.global({i})[0]);
  if (at[0] >= 0 && (is_edge || is_replicated))
    for (std::ptrdiff_t i = 0; i < line.extent(0); ++i)
      if (other.layout().axis(d).owner(first + i) == at[static_cast<std::size_t>(d)])
        expected.push_back(i);
  EXPECT_EQ(has, expected);
}

}  // namespace

TEST(Alignment, an_array_lies_beside_a_dimension_of_another) {
  for (int i = 0; i < conformance::often(60) && !testing::Test::HasFailure(); ++i) {
    const testing::ScopedTrace trace(__FILE__, __LINE__, "seed " + std::to_string(i));
    Random random(static_cast<std::uint64_t>(i));
    const auto shape = random_shape<2>(random, 14);
    const armature::distributed_array<long, 2> matrix(
        world(), shape, random_options<2>(random, shape, random_kinds<2>(random), true));
    const int d = static_cast<int>(random(0, 1));
    const std::ptrdiff_t first = random(0, shape[static_cast<std::size_t>(d)]);
    const std::ptrdiff_t extent = random(0, shape[static_cast<std::size_t>(d)] - first);
    const bool is_replicated = i % 2 == 1;
    auto line = armature::distributed_array<long, 1>::like(
        matrix, {extent}, {.dimensions = {d}, .first = {first}, .is_replicated = is_replicated},
        "line");
    expect_alignment<2>(line, matrix, d, first, is_replicated);
    // It is an array as any other.
    std::vector<long> values, seen(static_cast<std::size_t>(extent));
    for (std::ptrdiff_t k = 0; k < extent; ++k) values.push_back(7 * k + i);
    if (me() == i % ranks()) line.all().put(values);
    line.fence();
    line.all().get(seen);
    EXPECT_EQ(seen, values);
    EXPECT_EQ(sum(line), std::accumulate(values.begin(), values.end(), 0L));
    for (std::ptrdiff_t k = 0; k < line.local().size(); ++k)
      EXPECT_EQ(line.local()(k), values[static_cast<std::size_t>(line.global({k})[0])]);
    line.fence();
  }
}

TEST(Alignment, mistakes_are_named) {
  using Line = armature::distributed_array<long, 1>;
  const armature::distributed_array<long, 2> matrix(world(), {3, 4}, {.name = "matrix"});
  const auto refused = [&](const std::vector<std::string>& words, std::ptrdiff_t extent, int d,
                           std::ptrdiff_t first) {
    conformance::expect_error(armature::Errc::bad_argument, words, [&] {
      (void)Line::like(matrix, {extent}, {.dimensions = {d}, .first = {first}}, "line");
    });
  };
  refused({"'line'", "'matrix'", "dimension 2"}, 3, 2, 0);
  refused({"'line'", "'matrix'", "1 to 4", "has 3"}, 3, 0, 1);
  refused({"'line'", "-1"}, 3, 0, -1);
  conformance::expect_error(armature::Errc::bad_argument, {"two dimensions", "dimension 1"}, [&] {
    (void)armature::distributed_array<long, 2>::like(matrix, {2, 2}, {.dimensions = {1, 1}});
  });
}

TEST(Replication, every_position_has_a_copy_and_all_agree) {
  for (int i = 0; i < conformance::often(30) && !testing::Test::HasFailure(); ++i) {
    const testing::ScopedTrace trace(__FILE__, __LINE__, "seed " + std::to_string(i));
    Random random(static_cast<std::uint64_t>(i));
    const auto shape = random_shape<2>(random, 9);
    const int positions = static_cast<int>(random(1, ranks()));
    armature::distributed_array<long, 2> a(
        world(), shape,
        {.distribution = {Distribution::replicated(),
                          i % 2 == 0 ? Distribution::block() : Distribution::cyclic(2)},
         .grid = {0, positions}});
    const int copies = ranks() / positions;
    EXPECT_EQ(a.layout().placement().copies(), copies);
    Model<2> model(shape);
    number(a, model);
    // One member puts, one adds, one writes elements; all copies change.
    const auto ranges = random_ranges<2>(random, shape);
    std::vector<long> values;
    for_section<2>(ranges, [&](const Indices<2>& at) {
      values.push_back(random(0, 1000));
      model[at] = 3 * values.back();
    });
    if (me() == 0) a[ranges].put(values);
    a.fence();
    if (me() == ranks() - 1) {
      a[ranges].accumulate(values, 2);
      a(0, 0) = -4;
      scatter(a, std::vector<Indices<2>>{{shape[0] - 1, shape[1] - 1}}, std::vector<long>{-5});
    }
    model[{0, 0}] = -4;
    model[{shape[0] - 1, shape[1] - 1}] = -5;
    a.fence();
    const auto view = a.local();
    for_all<2>(view.extents(),
               [&](const Indices<2>& at) { EXPECT_EQ(view[at], model[a.global(at)]); });
    EXPECT_EQ(allreduce(world(), view.size()), copies * size_of<2>(shape));
    // A copy is read where it is.
    if (view.size() > 0) {
      EXPECT_EQ(a.owner(a.global({})), me());
    }
    EXPECT_EQ(a.all().get(), model.data);
    // Each element counts once, and both sides of a copy may be replicated.
    EXPECT_EQ(sum(a), std::accumulate(model.data.begin(), model.data.end(), 0L));
    armature::distributed_array<long, 2> b(
        world(), shape, random_options<2>(random, shape, random_kinds<2>(random), true));
    b.all() = a.all();
    expect_blocks(b, model);
    scale(b, 2);
    a.all() = b.all();
    for (long& x : model.data) x *= 2;
    transform(
        a[{Range(), 0}], [](long x) { return x + 1; }, std::as_const(a)[{Range(), 0}]);
    for (std::ptrdiff_t k = 0; k < shape[0]; ++k) ++model[{k, 0}];
    for_all<2>(view.extents(),
               [&](const Indices<2>& at) { EXPECT_EQ(view[at], model[a.global(at)]); });
    a.fence();
  }
}

TEST(Replication, an_array_that_all_have_is_read_without_a_message) {
  armature::distributed_array<long, 1> table(world(), {100},
                                             {.distribution = {Distribution::replicated()}});
  EXPECT_EQ(table.local().size(), 100);
  generate(table, [](const Indices<1>& i) { return i[0]; });
  std::vector<long> seen(100);
  EXPECT_EQ(table.all().get_schedule(std::span<long>(seen)).messages(), 0U);
  if (ranks() > 1)
    conformance::expect_error(armature::Errc::bad_argument, {"'array'", "replicated"},
                              [&] { table.read_increment({3}); });
  table.fence();
}
