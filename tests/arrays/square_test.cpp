#include <cmath>

#include "cases.hpp"

using namespace arrays;

namespace {

/// An array with numbers that come several times, some of them negative.
template <int N>
struct Mixed : Numbered<N> {
  Mixed(Random& random, const Indices<N>& shape) : Numbered<N>(random, shape, 0) {
    for_each(this->array, [](long& x) { x = x * 37 % 23 - 11; });
    for (long& x : this->model.data) x = x * 37 % 23 - 11;
  }
};

}  // namespace

TEST(Square, a_diagonal_is_read_and_written) {
  for_seeds(20, [](Random& random) {
    const auto shape = random_shape<2>(random, 12);
    const std::ptrdiff_t length = std::min(shape[0], shape[1]);
    Mixed<2> matrix(random, shape);
    Mixed<1> line(random, {length});
    long expected = 0;
    for (std::ptrdiff_t k = 0; k < length; ++k) expected += matrix.model[{k, k}];
    EXPECT_EQ(trace(matrix.array), expected);
    for_each_diagonal(matrix.array, [](long& x) { x += 100; });
    for (std::ptrdiff_t k = 0; k < length; ++k) matrix.model[{k, k}] += 100;
    expect_blocks(matrix.array, matrix.model);
    get_diagonal(line.array, matrix.array);
    for (std::ptrdiff_t k = 0; k < length; ++k) line.model[{k}] = matrix.model[{k, k}];
    expect_blocks(line.array, line.model);
    scale(line.array, -2);
    set_diagonal(matrix.array, line.array);
    for (std::ptrdiff_t k = 0; k < length; ++k) matrix.model[{k, k}] *= -2;
    expect_blocks(matrix.array, matrix.model);
    matrix.array.fence();
  });
}

TEST(Square, a_matrix_is_made_symmetric) {
  for_seeds(15, [](Random& random) {
    const std::ptrdiff_t n = random(1, 10);
    Mixed<2> matrix(random, {n, n});
    symmetrize(matrix.array);
    Model<2> before = matrix.model;
    for_all<2>({n, n}, [&](const Indices<2>& i) {
      matrix.model[i] = (before[i] + before[{i[1], i[0]}]) / 2;
    });
    expect_blocks(matrix.array, matrix.model);
    matrix.array.fence();
  });
}

TEST(Square, rows_and_columns_are_scaled) {
  for_seeds(15, [](Random& random) {
    const auto shape = random_shape<2>(random, 10);
    Mixed<2> matrix(random, shape);
    Mixed<1> rows(random, {shape[0]}), columns(random, {shape[1]});
    scale_rows(matrix.array, rows.array);
    scale_columns(matrix.array, columns.array);
    for_all<2>(shape, [&](const Indices<2>& i) {
      matrix.model[i] *= rows.model[{i[0]}] * columns.model[{i[1]}];
    });
    expect_blocks(matrix.array, matrix.model);
    matrix.array.fence();
  });
}

TEST(Square, norms_are_the_largest_sums_of_columns_and_rows) {
  for_seeds(10, [](Random& random) {
    const auto shape = random_shape<2>(random, 10);
    Mixed<2> matrix(random, shape);
    std::vector<long> rows(static_cast<std::size_t>(shape[0]));
    std::vector<long> columns(static_cast<std::size_t>(shape[1]));
    for_all<2>(shape, [&](const Indices<2>& i) {
      rows[static_cast<std::size_t>(i[0])] += std::abs(matrix.model[i]);
      columns[static_cast<std::size_t>(i[1])] += std::abs(matrix.model[i]);
    });
    EXPECT_EQ(matrix_norm_1(matrix.array), std::ranges::max(columns));
    EXPECT_EQ(matrix_norm_infinity(matrix.array), std::ranges::max(rows));
  });
}

TEST(Square, mistakes_are_named) {
  armature::distributed_array<long, 2> a(world(), {3, 4}, {.name = "a"});
  armature::distributed_array<long, 1> line(world(), {4}, {.name = "line"});
  using armature::Errc;
  conformance::expect_error(Errc::bad_argument, {"'line'", "4", "diagonal of 'a' 3"},
                            [&] { get_diagonal(line, a); });
  conformance::expect_error(Errc::bad_argument, {"'line'", "columns of 'a' 3"},
                            [&] { scale_rows(a, line); });
  conformance::expect_error(Errc::bad_argument, {"'a'", "3 x 4"}, [&] { symmetrize(a); });
}

TEST(Along, several_dimensions_are_combined_at_once) {
  for_seeds(20, [](Random& random) {
    const auto shape = random_shape<4>(random, 5);
    Mixed<4> a(random, shape);
    int first = static_cast<int>(random(0, 3)), second = static_cast<int>(random(0, 2));
    if (second >= first) ++second;
    std::array<std::size_t, 2> left{};
    std::size_t n = 0;
    for (std::size_t d = 0; d < 4; ++d)
      if (static_cast<int>(d) != first && static_cast<int>(d) != second) left[n++] = d;
    Mixed<2> out(random, {shape[left[0]], shape[left[1]]});
    reduce_along(out.array, a.array, std::array{first, second});
    std::ranges::fill(out.model.data, 0);
    for_all<4>(shape, [&](const Indices<4>& i) {
      out.model[{i[left[0]], i[left[1]]}] += a.model[i];
    });
    expect_blocks(out.array, out.model);
    // All but one.
    const int kept = static_cast<int>(random(0, 3));
    std::array<int, 3> others{};
    for (int d = 0, k = 0; d < 4; ++d)
      if (d != kept) others[static_cast<std::size_t>(k++)] = d;
    Mixed<1> line(random, {shape[static_cast<std::size_t>(kept)]});
    reduce_along(line.array, a.array, others, armature::Maximum());
    std::ranges::fill(line.model.data, -1000);
    for_all<4>(shape, [&](const Indices<4>& i) {
      long& most = line.model[{i[static_cast<std::size_t>(kept)]}];
      most = std::max(most, a.model[i]);
    });
    expect_blocks(line.array, line.model);
    line.array.fence();
  });
}

TEST(Along, the_least_and_the_most_have_places) {
  for_seeds(20, [](Random& random) {
    const auto shape = random_shape<3>(random, 7);
    const int d = static_cast<int>(random(0, 2));
    const auto at = static_cast<std::size_t>(d);
    const Indices<2> rest{shape[d == 0 ? 1 : 0], shape[d == 2 ? 1 : 2]};
    Mixed<3> a(random, shape);
    Mixed<2> values(random, rest), places(random, rest);
    const bool is_least = random(0, 1) == 0;
    if (is_least)
      minimum_along(values.array, places.array, a.array, d);
    else
      maximum_along(values.array, places.array, a.array, d);
    for_all<2>(rest, [&](const Indices<2>& i) {
      Indices<3> j{i[0], i[0], i[1]};
      if (d == 0) j = {0, i[0], i[1]};
      if (d == 1) j = {i[0], 0, i[1]};
      if (d == 2) j = {i[0], i[1], 0};
      long best = a.model[j], place = 0;
      for (j[at] = 1; j[at] < shape[at]; ++j[at])
        if (is_least ? a.model[j] < best : a.model[j] > best) {
          best = a.model[j];
          place = j[at];
        }
      values.model[i] = best;
      places.model[i] = place;
    });
    expect_blocks(values.array, values.model);
    expect_blocks(places.array, places.model);
    values.array.fence();
  });
}

TEST(Along, mistakes_are_named) {
  armature::distributed_array<long, 3> a(world(), {3, 4, 5}, {.name = "a"});
  armature::distributed_array<long, 1> line(world(), {4}, {.name = "line"});
  armature::distributed_array<long, 2> plane(world(), {3, 4}, {.name = "plane"});
  using armature::Errc;
  conformance::expect_error(Errc::bad_argument, {"'a'", "twice"}, [&] {
    reduce_along(line, a, std::array{1, 1});
  });
  conformance::expect_error(Errc::bad_argument, {"dimension 3"},
                            [&] { reduce_along(plane, a, 3); });
  conformance::expect_error(Errc::bad_argument,
                            {"'a' of 3 x 4 x 5", "dimension 1", "'plane' of 3 x 4"},
                            [&] { reduce_along(plane, a, 1); });
}
