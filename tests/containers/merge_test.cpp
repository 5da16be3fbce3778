// Algorithms on sorted ranges, against those of the standard library.
#include <algorithm>
#include <iterator>
#include <numeric>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "cases.hpp"

using namespace containers;
using armature::Errc;

namespace {

/// Two sorted vectors, of which the second has some of the first's elements, and others.
struct Two {
  Case a, b;
  explicit Two(const Case& one) : a(one), b(one) {
    std::ranges::sort(a.data);
    b.data.clear();
    std::mt19937_64 random(one.seed);
    for (const long x : one.data)
      if (random() % 3 == 0) b.data.push_back(x + static_cast<long>(random() % 2));
    for (int i = 0; i < 4; ++i) b.data.push_back(static_cast<long>(random() % 50) - 25);
    std::ranges::sort(b.data);
    b.size = b.data.size();
    if (one.seed % 4 == 0) std::swap(a, b);
  }
};

template <class F, class G>
void check(const Case& one, F ours, G theirs) {
  const Two two(one);
  const auto a = distributed(two.a), b = distributed(two.b);
  armature::distributed_vector<long> out(world(), two.a.size + two.b.size);
  std::vector<long> expected;
  theirs(two.a.data, two.b.data, std::back_inserter(expected));
  ASSERT_EQ(ours(a, b, out), expected.size());
  expect_elements(out.slice(0, expected.size()), expected);
}

}  // namespace

TEST(Merge, and_sets_agree_with_std) {
  for_all_cases([](const Case& one) {
    check(
        one, [](auto& a, auto& b, auto& out) { return armature::merge(a, b, out); },
        [](auto& a, auto& b, auto out) { std::ranges::merge(a, b, out); });
    check(
        one, [](auto& a, auto& b, auto& out) { return armature::set_union(a, b, out); },
        [](auto& a, auto& b, auto out) { std::ranges::set_union(a, b, out); });
    check(
        one, [](auto& a, auto& b, auto& out) { return armature::set_intersection(a, b, out); },
        [](auto& a, auto& b, auto out) { std::ranges::set_intersection(a, b, out); });
    check(
        one, [](auto& a, auto& b, auto& out) { return armature::set_difference(a, b, out); },
        [](auto& a, auto& b, auto out) { std::ranges::set_difference(a, b, out); });
    check(
        one,
        [](auto& a, auto& b, auto& out) { return armature::set_symmetric_difference(a, b, out); },
        [](auto& a, auto& b, auto out) { std::ranges::set_symmetric_difference(a, b, out); });
    const Two two(one);
    const auto a = distributed(two.a), b = distributed(two.b);
    EXPECT_EQ(armature::includes(a, b), std::ranges::includes(two.a.data, two.b.data));
    EXPECT_TRUE(armature::includes(a, a.slice(one.size / 9, two.a.size / 2 + one.size / 9)) ||
                one.size / 9 + two.a.size / 2 > two.a.size);
  });
}

TEST(Merge, keeps_the_order_of_what_is_equal) {
  using Pair = std::pair<int, std::string>;
  const auto by_first = [](const Pair& a, const Pair& b) { return a.first < b.first; };
  std::vector<Pair> first, second, expected;
  for (int i = 0; i < 300; ++i) first.emplace_back(i / 70, "a" + std::to_string(i));
  for (int i = 0; i < 200; ++i) second.emplace_back(i / 45, "b" + std::to_string(i));
  std::ranges::merge(first, second, std::back_inserter(expected), by_first);
  const auto spread = [](const std::vector<Pair>& data) {
    armature::distributed_vector<Pair> all(world(), data.size());
    std::ranges::copy(std::span(data).subspan(all.offset(), all.local().size()),
                      all.local().begin());
    all.fence();
    return all;
  };
  const auto a = spread(first), b = spread(second);
  armature::distributed_vector<Pair> out(world(), 500);
  EXPECT_EQ(armature::merge(a, b, out, by_first), 500U);
  EXPECT_EQ(out.read(0, 500), expected);
  out.fence();
  auto both = first;
  both.insert(both.end(), second.begin(), second.end());
  auto place = spread(both);
  armature::inplace_merge(place, 300, by_first);
  EXPECT_EQ(place.read(0, 500), expected);
  place.fence();
}

TEST(Merge, in_place_agrees_with_std) {
  for_all_cases([](const Case& one) {
    for (const std::size_t middle : {std::size_t{0}, one.size / 3, one.size}) {
      Case halves = one;
      const auto cut = halves.data.begin() + static_cast<std::ptrdiff_t>(middle);
      std::sort(halves.data.begin(), cut);
      std::sort(cut, halves.data.end());
      auto vector = distributed(halves);
      armature::inplace_merge(vector, middle);
      std::inplace_merge(halves.data.begin(), cut, halves.data.end());
      expect_elements(vector, halves.data);
    }
  });
}

TEST(Merge, what_has_no_room_is_an_error_at_all_members) {
  armature::distributed_vector<long> a(world(), 6, 1), out(world(), 11);
  conformance::expect_error(Errc::bad_argument, {"merge", "12 elements", "11"},
                            [&] { armature::merge(a, a, out); });
}

TEST(PartialSort, agrees_with_std) {
  for_all_cases([](const Case& one) {
    std::vector<long> sorted = one.data;
    std::ranges::sort(sorted);
    for (const std::size_t n : {std::size_t{0}, one.size / 5, one.size}) {
      auto vector = distributed(one);
      armature::distributed_vector<long> out(world(), n);
      const std::vector<long> expected(sorted.begin(),
                                       sorted.begin() + static_cast<std::ptrdiff_t>(n));
      EXPECT_EQ(armature::partial_sort_copy(vector, out), n);
      expect_elements(out, expected);
      expect_elements(vector, one.data);
      armature::partial_sort(vector, n);
      expect_elements(vector.slice(0, n), expected);
    }
  });
}

TEST(TransformScan, agrees_with_std) {
  for_all_cases([](const Case& one) {
    const auto vector = distributed(one);
    armature::distributed_vector<long> out(world(), one.size);
    const auto term = [](long x) { return x % 10 + 1; };
    std::vector<long> expected(one.size);
    std::transform_inclusive_scan(one.data.begin(), one.data.end(), expected.begin(), std::plus<>(),
                                  term);
    armature::transform_inclusive_scan(vector, out, std::plus<>(), term);
    expect_elements(out, expected);
    std::transform_inclusive_scan(one.data.begin(), one.data.end(), expected.begin(), std::plus<>(),
                                  term, 5L);
    armature::transform_inclusive_scan(vector, out, std::plus<>(), term, 5L);
    expect_elements(out, expected);
    std::transform_exclusive_scan(one.data.begin(), one.data.end(), expected.begin(), 5L,
                                  std::plus<>(), term);
    armature::transform_exclusive_scan(vector, out, 5L, std::plus<>(), term);
    expect_elements(out, expected);
  });
}
