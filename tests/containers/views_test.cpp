// Views against the same done serially, on vectors that are divided in every way.
#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <numeric>
#include <optional>
#include <span>
#include <string>
#include <thread>
#include <tuple>
#include <utility>
#include <vector>

#include "armature/array.hpp"
#include "armature/view.hpp"
#include "cases.hpp"

namespace views = armature::views;
using containers::for_all_cases;
using containers::is_odd;
using containers::me;
using containers::ranks;
using containers::world;

namespace {

/// All members' local elements of a view, each at its index.
template <class V>
auto gathered(const V& of) {
  using T = armature::view_value_t<V>;
  armature::distributed_vector<T> out(world(), of.size());
  armature::copy(of, out);
  auto all = out.read(0, out.size());
  out.fence();
  return all;
}

std::vector<long> strided(const std::vector<long>& data, std::size_t step, std::size_t first) {
  std::vector<long> chosen;
  for (std::size_t i = first; i < data.size(); i += step) chosen.push_back(data[i]);
  return chosen;
}

/// Windows that the last member fetches when the others have had time to write.
struct LateWindows : armature::windows_view<long> {
  using windows_view::windows_view;
  [[nodiscard]] auto local() const {
    if (me() == ranks() - 1) std::this_thread::sleep_for(std::chrono::milliseconds(20));
    return windows_view::local();
  }
};

}  // namespace

TEST(Views, slices_and_strides_have_the_elements_of_serial_ones) {
  for_all_cases([](const auto& one) {
    auto v = containers::distributed(one);
    const std::size_t n = one.size;
    EXPECT_EQ(gathered(views::all(v)), one.data);
    for (const std::size_t step : {1UL, 2UL, 3UL, 7UL})
      for (const std::size_t first : {std::size_t{0}, n / 3})
        EXPECT_EQ(gathered(views::strided(v, step, first)), strided(one.data, step, first));
    const std::vector<long> middle(one.data.begin() + static_cast<std::ptrdiff_t>(n / 4),
                                   one.data.begin() + static_cast<std::ptrdiff_t>(n - n / 3));
    const auto part = views::slice(v, n / 4, n - n / 3);
    EXPECT_EQ(gathered(part), middle);
    EXPECT_EQ(gathered(views::strided(part, 2)), strided(middle, 2, 0));
    EXPECT_EQ(armature::reduce(part, 0L), std::accumulate(middle.begin(), middle.end(), 0L));
    EXPECT_TRUE(part.is_contiguous());
    EXPECT_FALSE(views::strided(v, 2).is_contiguous());
  });
}

TEST(Views, elements_know_their_owners) {
  armature::distributed_vector<long> v(world(), 100);
  const auto third = views::strided(v, 3, 1);
  for (std::size_t i = 0; i < third.size(); ++i) {
    EXPECT_EQ(third.owner(i), v.blocks().owner(1 + 3 * i));
    EXPECT_EQ(third.is_local(i), v.is_local(1 + 3 * i));
  }
  EXPECT_THROW((void)third.owner(third.size()), armature::Error);
  v.fence();
}

TEST(Views, for_each_changes_the_elements_of_a_stride_alone) {
  armature::distributed_vector<long> v(world(), 200, 1);
  armature::for_each(views::strided(v, 4, 2), [](long& x) { x += 5; });
  armature::fill(views::slice(v, 10, 12), 9);
  armature::generate(views::slice(v, 100, 110), [](std::size_t i) { return static_cast<long>(i); });
  std::vector<long> expected(200, 1);
  for (std::size_t i = 2; i < 200; i += 4) expected[i] += 5;
  expected[10] = expected[11] = 9;
  std::iota(expected.begin() + 100, expected.begin() + 110, 0L);
  containers::expect_elements(v, expected);
  v.fence();
}

TEST(Views, transposed_matrices_agree_with_serial_ones) {
  for_all_cases([](const auto& one) {
    auto v = containers::distributed(one);
    for (const std::size_t columns : {1UL, 4UL, 25UL}) {
      if (one.size % columns != 0) continue;
      const std::size_t rows = one.size / columns;
      std::vector<long> turned(one.size);
      for (std::size_t r = 0; r < rows; ++r)
        for (std::size_t c = 0; c < columns; ++c) turned[c * rows + r] = one.data[r * columns + c];
      EXPECT_EQ(gathered(views::transposed(v, columns)), turned);
    }
  });
}

TEST(Views, transformed_and_filtered_elements_are_reduced_and_counted) {
  for_all_cases([](const auto& one) {
    auto v = containers::distributed(one);
    const auto twice = views::transformed(v, [](long x) { return 2 * x; });
    const long sum = std::accumulate(one.data.begin(), one.data.end(), 0L);
    EXPECT_EQ(armature::reduce(twice, 7L), 2 * sum + 7);
    std::vector<long> odd;
    std::ranges::copy_if(one.data, std::back_inserter(odd), is_odd);
    const auto only_odd = views::filtered(v, is_odd);
    EXPECT_EQ(armature::count_if(only_odd, [](long) { return true; }), odd.size());
    EXPECT_EQ(armature::reduce(only_odd, 0L), std::accumulate(odd.begin(), odd.end(), 0L));
    EXPECT_TRUE(armature::all_of(only_odd, is_odd));
    EXPECT_EQ(armature::any_of(views::all(v), is_odd), !odd.empty());
    EXPECT_EQ(armature::none_of(views::all(v), is_odd), odd.empty());
    armature::distributed_vector<long> out(world(), odd.size());
    EXPECT_EQ(armature::copy(only_odd, out), odd.size());
    containers::expect_elements(out, odd);
    out.fence();
    EXPECT_EQ(armature::count(views::filtered(twice, [](long x) { return x > 0; }), 14),
              static_cast<std::size_t>(std::ranges::count(one.data, 7)));
  });
}

TEST(Views, smallest_and_largest_are_the_first_of_equals) {
  for_all_cases([](const auto& one) {
    auto v = containers::distributed(one);
    const auto chosen = strided(one.data, 3, 0);
    const auto low = armature::min_element(views::strided(v, 3));
    const auto high = armature::max_element(views::strided(v, 3));
    ASSERT_EQ(low.has_value(), !chosen.empty());
    if (chosen.empty()) return;
    EXPECT_EQ(*low, static_cast<std::size_t>(std::ranges::min_element(chosen) - chosen.begin()));
    EXPECT_EQ(*high, static_cast<std::size_t>(std::ranges::max_element(chosen) - chosen.begin()));
  });
}

TEST(Views, zipped_ones_are_tuples_of_references) {
  for_all_cases([](const auto& one) {
    auto a = containers::distributed(one);
    auto b = a.clone();
    armature::for_each(views::zipped(a, b), [](long x, long& y) { y = 3 * y + x; });
    auto expected = one.data;
    for (long& x : expected) x *= 4;
    containers::expect_elements(b, expected);
    b.fence();
    const long dot = armature::transform_reduce(
        views::zipped(views::strided(a, 2), views::strided(b, 2)), 0L, std::plus<>(),
        [](long x, long y) { return x % 100 * (y % 100); });
    long serial = 0;
    for (std::size_t i = 0; i < one.size; i += 2) serial += one.data[i] % 100 * (expected[i] % 100);
    EXPECT_EQ(dot, serial);
  });
}

TEST(Views, windows_reach_into_the_neighbours_pieces) {
  for_all_cases([](const auto& one) {
    auto v = containers::distributed(one);
    for (const auto& [before, after] : {std::pair(1UL, 1UL), {0UL, 3UL}, {5UL, 0UL}, {0UL, 0UL}}) {
      const auto sums = views::transformed(
          views::windows(v, before, after),
          [](std::span<const long> w) { return std::accumulate(w.begin(), w.end(), 0L); });
      std::vector<long> expected;
      for (std::size_t i = 0; i + before + after < one.size; ++i) {
        const auto at = one.data.begin() + static_cast<std::ptrdiff_t>(i);
        expected.push_back(
            std::accumulate(at, at + static_cast<std::ptrdiff_t>(before + after + 1), 0L));
      }
      EXPECT_EQ(gathered(sums), expected);
    }
  });
}

TEST(Views, a_step_of_jacobi_writes_into_the_vector_that_its_windows_show) {
  std::vector<double> expected(150);
  for (std::size_t i = 0; i < 150; ++i) expected[i] = static_cast<double>(i * i % 37);
  armature::distributed_vector<double> v(world(), 150);
  armature::generate(v, [&](std::size_t i) { return expected[i]; });
  for (int step = 0; step < 10; ++step) {
    armature::transform(views::windows(v, 1, 1), v.slice(1, 149),
                        [](std::span<const double> w) { return (w[0] + w[2]) / 2; });
    const auto old = expected;
    for (std::size_t i = 1; i < 149; ++i) expected[i] = (old[i - 1] + old[i + 1]) / 2;
  }
  containers::expect_elements(v, expected);
  v.fence();
}

TEST(Views, a_function_may_write_into_the_vector_that_its_windows_show) {
  std::vector<long> expected(60);
  std::iota(expected.begin(), expected.end(), 0L);
  armature::distributed_vector<long> v(world(), 60);
  armature::generate(v, [&](std::size_t i) { return expected[i]; });
  for (int step = 0; step < 3; ++step) {
    armature::for_each(views::zipped(LateWindows(v.view(), 1, 1), v.slice(1, 59)),
                       [](std::span<const long> w, long& x) { x = w[0] + w[2]; });
    const auto old = expected;
    for (std::size_t i = 1; i < 59; ++i) expected[i] = old[i - 1] + old[i + 1];
  }
  containers::expect_elements(v, expected);
  v.fence();
}

TEST(Views, of_steps_and_windows_beyond_the_end_have_one_element_or_none) {
  armature::distributed_vector<long> v(world(), 10, 3);
  EXPECT_EQ(gathered(views::strided(v, SIZE_MAX, 4)), std::vector<long>{3});
  EXPECT_EQ(views::windows(v, SIZE_MAX, 1).size(), 0U);
  EXPECT_EQ(views::windows(v, 1, SIZE_MAX).size(), 0U);
  EXPECT_EQ(views::windows(v, 5, 6).size(), 0U);
}

TEST(Views, balanced_and_by_owner_divide_otherwise) {
  for_all_cases([](const auto& one) {
    auto v = containers::distributed(one);
    const auto even = views::balanced(v);
    EXPECT_EQ(gathered(even), one.data);
    const auto even_blocks = armature::Blocks::even(one.size, ranks());
    EXPECT_EQ(even.local().size(), even_blocks.count(me()));
    EXPECT_EQ(even.offset(), even_blocks.first(me()));
    EXPECT_EQ(
        armature::reduce(views::zipped(even, even).size() == 0 ? views::balanced(v) : even, 0L),
        std::accumulate(one.data.begin(), one.data.end(), 0L));
    const auto sizes = gathered(
        views::transformed(views::by_owner(v), [](std::span<long> piece) { return piece.size(); }));
    EXPECT_EQ(sizes, containers::counts_of(one));
  });
}

TEST(Views, wrong_ones_are_errors_that_name_the_bounds) {
  armature::distributed_vector<long> v(world(), 10);
  const auto says = [](auto make, const char* text) {
    try {
      make();
      ADD_FAILURE() << "no error: " << text;
    } catch (const armature::Error& error) {
      EXPECT_NE(std::string(error.what()).find(text), std::string::npos) << error.what();
    }
  };
  says([&] { (void)views::slice(v, 3, 11); }, "has no elements from 3 to before 11");
  says([&] { (void)views::strided(v, 0); }, "step is 0");
  says([&] { (void)views::transposed(v, 3); },
       "10 elements of a distributed_vector are no matrix of 3 columns");
  says([&] { (void)views::zipped(v, views::slice(v, 0, 9)); },
       "one range has 10 elements, another 9");
  says(
      [&] {
        (void)views::all(v)[10];
        long x = views::all(v)[10];
        (void)x;
      },
      "no element 10 in one of 10");
  if (ranks() > 1)
    says([&] { (void)views::zipped(views::slice(v, 0, 9), views::slice(v, 1, 10)); },
         "divided differently");
  armature::distributed_vector<long> small(world(), 2);
  says([&] { armature::copy(views::all(v), small); }, "elements, another 2");
  says([&] { armature::copy(views::filtered(v, [](long) { return true; }), small); }, "for them 2");
  small.fence();
}

TEST(Views, of_maps_sets_lists_and_graphs_are_reduced_where_entries_are) {
  armature::distributed_map<int, long> map(world());
  armature::distributed_set<int> set(world());
  armature::distributed_list<long> list(world());
  armature::distributed_graph<long, armature::no_data> graph(world(), 50);
  for (int i = me(); i < 100; i += ranks()) {
    map.async_insert(i, 2L * i);
    set.async_insert(i % 40);
    list.async_deal(i);
  }
  EXPECT_EQ(armature::transform_reduce(views::all(map), 0L, std::plus<>(),
                                       [](int key, long value) { return key + value; }),
            3 * 4950);
  EXPECT_EQ(armature::count_if(views::filtered(map, [](int key, long) { return key < 10; }),
                               [](int, long value) { return value >= 4; }),
            8U);
  EXPECT_EQ(armature::reduce(views::all(set), 0L), 780);
  armature::for_each(views::all(list), [](long& x) { x *= 2; });
  EXPECT_EQ(armature::reduce(views::all(list), 0L), 9900);
  armature::for_each(views::all(graph),
                     [](auto vertex) { vertex.data() = static_cast<long>(vertex.id()); });
  EXPECT_EQ(
      armature::reduce(views::transformed(graph, [](auto vertex) { return vertex.data(); }), 0L),
      1225);
}

TEST(Views, of_sections_of_arrays_have_the_order_of_the_section) {
  using armature::Range;
  for (const auto& kind : {armature::Distribution::block(), armature::Distribution::cyclic()}) {
    armature::distributed_array<long, 2> a(
        world(), {12, 9}, {.distribution = {kind, armature::Distribution::block()}});
    armature::generate(views::all(a), [](std::size_t i) { return static_cast<long>(i); });
    std::vector<long> all(108);
    std::iota(all.begin(), all.end(), 0L);
    EXPECT_EQ(gathered(views::all(a)), all);
    std::vector<long> turned, some;
    for (long c = 0; c < 9; ++c)
      for (long r = 0; r < 12; ++r) turned.push_back(9 * r + c);
    EXPECT_EQ(gathered(views::all(a.all().transposed())), turned);
    for (long r = 1; r < 11; r += 3)
      for (long c = 2; c < 9; ++c) some.push_back(9 * r + c);
    EXPECT_EQ(gathered(views::all(a[{Range(1, 11, 3), Range(2, 9)}])), some);
    {
      armature::read_phase phase(a);
      EXPECT_THROW((void)views::all(a).local(), armature::Error);
      EXPECT_EQ(armature::reduce(views::all(std::as_const(a)), 0L), 107 * 54);
      phase.end();
    }
    armature::fill(views::all(a[{Range(0, 12), Range(4)}]), -1);
    EXPECT_EQ(armature::count(views::all(a), -1), 12U);
    EXPECT_EQ(*armature::min_element(views::all(a)), 4U);
  }
}

TEST(Views, rows_and_columns_lie_with_one_member_each) {
  using armature::array_view;
  armature::distributed_array<long, 2> a(world(), {13, 6}, {.grid = {ranks(), 1}});
  armature::generate(views::all(a), [](std::size_t i) { return static_cast<long>(i); });
  const auto sum = [](array_view<long, 1> line) {
    long total = 0;
    for (std::ptrdiff_t i = 0; i < line.size(); ++i) total += line(i);
    return total;
  };
  std::vector<long> expected(13);
  for (long r = 0; r < 13; ++r) expected[static_cast<std::size_t>(r)] = 36 * r + 15;
  EXPECT_EQ(gathered(views::transformed(views::rows(a), sum)), expected);
  EXPECT_TRUE(views::rows(a).is_contiguous());

  armature::distributed_array<long, 2> b(
      world(), {5, 11},
      {.name = "b",
       .distribution = {armature::Distribution::block(), armature::Distribution::cyclic()},
       .grid = {1, ranks()}});
  armature::generate(views::all(b), [](std::size_t i) { return static_cast<long>(i); });
  std::vector<long> of_columns(11);
  for (long c = 0; c < 11; ++c) of_columns[static_cast<std::size_t>(c)] = 110 + 5 * c;
  EXPECT_EQ(gathered(views::transformed(views::columns(b), sum)), of_columns);
  if (ranks() > 1) {
    try {
      (void)views::rows(b);
      ADD_FAILURE() << "rows of a matrix that is divided along them";
    } catch (const armature::Error& error) {
      EXPECT_NE(std::string(error.what()).find("'b' is divided in dimension 1"), std::string::npos);
    }
  }
  a.fence();
  b.fence();
}
