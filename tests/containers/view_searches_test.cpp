// Algorithms on views that merge, find, compare or count.
#include <algorithm>
#include <cstddef>
#include <functional>
#include <iterator>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "armature/array.hpp"
#include "armature/view.hpp"
#include "view_cases.hpp"

using namespace view_cases;

TEST(ViewAlgorithms, merge_what_is_sorted) {
  // Both halves of a sorted view, and what the standard library makes of them.
  const auto check = [](auto combine, auto serial) {
    compare(
        [&](const auto& of) {
          armature::sort(of);
          armature::distributed_vector<long> other(world(), 20), out(world(), of.size() + 20, -1);
          armature::generate(other, [](std::size_t i) { return static_cast<long>(2 * i); });
          const std::size_t count = combine(of, other, out);
          auto made = out.read(0, count);
          out.fence();
          armature::distributed_vector<long> wide(world(), 2 * (of.size() + 20), -1);
          EXPECT_EQ(combine(views::all(other), of, views::strided(wide, 2)),
                    combine(other.view(), of, out));
          return made;
        },
        [&](Longs& x) {
          std::ranges::sort(x);
          Longs other, out;
          for (long i = 0; i < 20; ++i) other.push_back(2 * i);
          serial(x, other, std::back_inserter(out));
          return out;
        });
  };
  check([](const auto& a, const auto& b, auto&& out) { return armature::merge(a, b, out); },
        [](auto& a, auto& b, auto out) { std::ranges::merge(a, b, out); });
  check([](const auto& a, const auto& b, auto&& out) { return armature::set_union(a, b, out); },
        [](auto& a, auto& b, auto out) { std::ranges::set_union(a, b, out); });
  check([](const auto& a, const auto& b,
           auto&& out) { return armature::set_intersection(a, b, out); },
        [](auto& a, auto& b, auto out) { std::ranges::set_intersection(a, b, out); });
  check(
      [](const auto& a, const auto& b, auto&& out) { return armature::set_difference(a, b, out); },
      [](auto& a, auto& b, auto out) { std::ranges::set_difference(a, b, out); });
  check([](const auto& a, const auto& b,
           auto&& out) { return armature::set_symmetric_difference(a, b, out); },
        [](auto& a, auto& b, auto out) { std::ranges::set_symmetric_difference(a, b, out); });
  compare(
      [](const auto& of) {
        armature::sort(of);
        armature::distributed_vector<long> two(world(), {2, 2});
        return armature::includes(of, two);
      },
      [](Longs& x) {
        std::ranges::sort(x);
        return std::ranges::includes(x, Longs{2, 2});
      });
}

TEST(ViewAlgorithms, find_elements_and_patterns) {
  compare([](const auto& of) { return armature::find(of, 2L); },
          [](Longs& x) { return index_in(x, std::ranges::find(x, 2L)); });
  compare([](const auto& of) { return armature::find_if(of, is_odd); },
          [](Longs& x) { return index_in(x, std::ranges::find_if(x, is_odd)); });
  compare([](const auto& of) { return armature::find_if_not(of, is_odd); },
          [](Longs& x) { return index_in(x, std::ranges::find_if_not(x, is_odd)); });
  const Longs pattern{1, 2};
  compare([&](const auto& of) { return armature::find_first_of(of, pattern); },
          [&](Longs& x) { return index_in(x, std::ranges::find_first_of(x, pattern)); });
  compare([&](const auto& of) { return armature::search(of, pattern); },
          [&](Longs& x) { return index_in(x, std::ranges::search(x, pattern).begin()); });
  compare([&](const auto& of) { return armature::find_end(of, pattern); },
          [&](Longs& x) { return index_in(x, std::ranges::find_end(x, pattern).begin()); });
  compare([](const auto& of) { return armature::search_n(of, 2, 3L); },
          [](Longs& x) { return index_in(x, std::ranges::search_n(x, 2, 3L).begin()); });
  compare([](const auto& of) { return armature::adjacent_find(of); },
          [](Longs& x) { return index_in(x, std::ranges::adjacent_find(x)); });
  compare(
      [](const auto& of) {
        const auto both = armature::minmax_element(of);
        return both ? std::pair(At(both->first), At(both->second)) : std::pair<At, At>();
      },
      [](Longs& x) {
        const auto both = std::minmax_element(x.begin(), x.end());
        return std::pair(index_in(x, both.first), index_in(x, both.second));
      });
}

TEST(ViewAlgorithms, compare_and_look_at_the_order) {
  compare([](const auto& of) { return armature::is_sorted_until(of); },
          [](Longs& x) { return count_to(x, std::ranges::is_sorted_until(x)); });
  compare([](const auto& of) { return armature::is_sorted(of); },
          [](Longs& x) { return std::ranges::is_sorted(x); });
  compare([](const auto& of) { return armature::is_partitioned(of, is_odd); },
          [](Longs& x) { return std::ranges::is_partitioned(x, is_odd); });
  compare([](const auto& of) { return armature::is_heap_until(of); },
          [](Longs& x) { return count_to(x, std::ranges::is_heap_until(x)); });
  compare([](const auto& of) { return armature::is_heap(of); },
          [](Longs& x) { return std::ranges::is_heap(x); });
  compare(
      [](const auto& of) {
        armature::distributed_vector<long> other(world(), of.size());
        armature::copy(of, other);
        EXPECT_TRUE(armature::equal(of, other));
        if (of.size() > 0) other[of.size() / 2] = 77;
        EXPECT_EQ(armature::mismatch(other, of), of.size() > 0 ? At(of.size() / 2) : At());
        EXPECT_EQ(armature::lexicographical_compare(of, other), of.size() > 0);
        return armature::inner_product(of, views::all(of), 1L);
      },
      [](Longs& x) { return std::inner_product(x.begin(), x.end(), x.begin(), 1L); });
}

TEST(ViewAlgorithms, take_the_first_few_and_count_bins_of_views_without_indices) {
  const auto top_of = [](Longs x, std::size_t count) {
    std::ranges::sort(x, std::greater<>());
    if (x.size() > count) x.resize(count);
    return x;
  };
  compare([](const auto& of) { return armature::top(of, 5); },
          [&](Longs& x) { return top_of(x, 5); });
  compare([](const auto& of) { return armature::top(views::filtered(of, is_odd), 5); },
          [&](Longs& x) {
            Longs odd;
            std::ranges::copy_if(x, std::back_inserter(odd), is_odd);
            return top_of(odd, 5);
          });
  const auto bin = [](long x) { return x - 1; };
  compare([&](const auto& of) { return armature::histogram(of, 3, bin); },
          [&](Longs& x) {
            std::vector<std::size_t> counts(3);
            for (const long each : x)
              if (bin(each) >= 0 && bin(each) < 3) ++counts[static_cast<std::size_t>(bin(each))];
            return counts;
          });
  compare([](const auto& of) { return of.size() == 0 ? 0 : armature::nth_value(of, 0); },
          [](Longs& x) { return x.empty() ? 0 : *std::ranges::min_element(x); });
  armature::distributed_map<std::string, int> map(world());
  for (int i = 0; i < 10; ++i) map.async_assign(std::to_string(i), i);
  map.fence();
  const auto counts = armature::histogram(views::all(map), 2,
                                          [](const std::string&, int value) { return value / 5; });
  EXPECT_EQ(counts, (std::vector<std::size_t>{5, 5}));
}

TEST(ViewAlgorithms, sort_a_section_of_an_array) {
  armature::distributed_array<long, 2> matrix(world(), {6, 7});
  armature::generate(views::all(matrix),
                     [](std::size_t i) { return static_cast<long>(i * 5 % 42); });
  armature::sort(views::all(matrix));
  const auto sum = armature::reduce(views::all(matrix), 0L);
  EXPECT_EQ(sum, 41 * 42 / 2);
  EXPECT_TRUE(armature::is_sorted(views::all(matrix)));
}

// The errors of views name the container, the index and the size.
TEST(ViewAlgorithms, say_of_which_container_they_are) {
  armature::distributed_vector<long> v(world(), 10);
  const auto says = [](auto call, const std::string& text) {
    try {
      call();
      ADD_FAILURE() << "no error: " << text;
    } catch (const armature::Error& error) {
      EXPECT_NE(std::string(error.what()).find(text), std::string::npos) << error.what();
    }
  };
  says([&] { (void)views::slice(v, 4, 11); },
       "views::slice: a view of 10 elements of a distributed_vector has no elements from 4 to "
       "before "
       "11");
  says([&] { (void)views::strided(views::slice(v, 0, 6), 2, 7); },
       "views::strided: a view of 6 elements of a distributed_vector has no elements from 7");
  says([&] { (void)views::slice(v, 2, 5).owner(3); },
       "a view of 3 elements of a distributed_vector has no element 3");
  says([&] { (void)views::transposed(v, 3); }, "10 elements of a distributed_vector are no matrix");
  v.fence();
}
