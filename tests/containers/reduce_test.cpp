#include <array>
#include <numeric>

#include "cases.hpp"

using namespace containers;

namespace {

/// Composition of x -> a x + b modulo 2^64: associative, does not commute.
struct Affine {
  std::uint64_t a = 1, b = 0;
  friend Affine operator*(const Affine& f, const Affine& g) { return {f.a * g.a, g.a * f.b + g.b}; }
  friend bool operator==(const Affine&, const Affine&) = default;
};
Affine affine(long x) {
  return {static_cast<std::uint64_t>(x) * 2 + 1, static_cast<std::uint64_t>(x)};
}

}  // namespace

TEST(Reduce, agrees_with_std_accumulate) {
  for_all_cases([](const Case& one) {
    const auto vector = distributed(one);
    EXPECT_EQ(armature::reduce(vector), std::accumulate(one.data.begin(), one.data.end(), 0L));
    EXPECT_EQ(armature::reduce(vector, 5L, armature::Maximum()),
              std::accumulate(one.data.begin(), one.data.end(), 5L, armature::Maximum()));
  });
}

TEST(TransformReduce, keeps_the_order_for_an_operator_that_does_not_commute) {
  for_all_cases([](const Case& one) {
    const auto vector = distributed(one);
    const Affine init{3, 4};
    Affine expected = init;
    for (const long x : one.data) expected = expected * affine(x);
    EXPECT_EQ(armature::transform_reduce(vector, init, std::multiplies<>(), affine), expected);
  });
}

TEST(Reduce, concatenates_strings_in_order) {
  for_all_cases([](const Case& one) {
    if (one.size > 100) return;
    std::vector<std::string> words;
    std::string expected = ">";
    for (const long x : one.data) expected += words.emplace_back(std::to_string(x));
    EXPECT_EQ(armature::reduce(distributed(one, words), std::string(">")), expected);
  });
}

TEST(Reduce, elements_may_be_larger_than_what_a_collective_shows_at_once) {
  struct Large {
    std::array<long, 5000> values;
  };
  armature::distributed_vector<Large> vector(world(), 7);
  armature::generate(vector, [](std::size_t i) {
    Large one{};
    one.values.back() = static_cast<long>(i);
    return one;
  });
  const auto less = [](const Large& a, const Large& b) {
    return a.values.back() < b.values.back();
  };
  EXPECT_EQ(armature::max_element(vector, less), 6U);
  const Large sum = armature::reduce(vector, Large{}, [](Large a, const Large& b) {
    a.values.back() += b.values.back();
    return a;
  });
  EXPECT_EQ(sum.values.back(), 21);
  armature::sort(vector, [&](const Large& a, const Large& b) { return less(b, a); });
  EXPECT_EQ(armature::min_element(vector, less), 6U);
}

TEST(InnerProduct, agrees_with_std_for_ranges_that_are_divided_differently) {
  for_all_cases([](const Case& one) {
    const auto a = distributed(one);
    armature::distributed_vector<long> b(world(), one.size);
    armature::generate(b, [](std::size_t i) { return static_cast<long>(i % 10); });
    long expected = 9;
    for (std::size_t i = 0; i < one.size; ++i) expected += one.data[i] * static_cast<long>(i % 10);
    EXPECT_EQ(armature::inner_product(a, b, 9L), expected);
  });
}

TEST(Count, agrees_with_std) {
  for_all_cases([](const Case& one) {
    const auto vector = distributed(one);
    EXPECT_EQ(armature::count(vector, 7),
              static_cast<std::size_t>(std::ranges::count(one.data, 7)));
    EXPECT_EQ(armature::count_if(vector, is_odd),
              static_cast<std::size_t>(std::ranges::count_if(one.data, is_odd)));
  });
}

TEST(AllAnyNone, agree_with_std) {
  for_all_cases([](const Case& one) {
    const auto vector = distributed(one);
    const auto small = [](long x) { return x < 900'000; };
    EXPECT_EQ(armature::all_of(vector, small), std::ranges::all_of(one.data, small));
    EXPECT_EQ(armature::any_of(vector, small), std::ranges::any_of(one.data, small));
    EXPECT_EQ(armature::none_of(vector, is_odd), std::ranges::none_of(one.data, is_odd));
  });
}

TEST(Histogram, counts_every_element_within_its_bounds_once) {
  for_all_cases([](const Case& one) {
    const auto vector = distributed(one);
    std::vector<std::size_t> expected(8);
    for (const long x : one.data)
      if (x >= 0 && x < 80) ++expected[static_cast<std::size_t>(x / 10)];
    EXPECT_EQ(armature::histogram(vector, 8, 0, 80), expected);
    EXPECT_EQ(armature::histogram(vector, 8, [](long x) { return x < 0 ? -1 : x / 10; }), expected);
  });
}

TEST(Find, gives_the_first_match_or_nothing) {
  for_all_cases([](const Case& one) {
    const auto vector = distributed(one);
    for (const long wanted : {2L, 7L, -1'000'001L}) {
      const auto at = std::ranges::find(one.data, wanted);
      const auto expected = at == one.data.end()
                                ? std::nullopt
                                : std::optional(static_cast<std::size_t>(at - one.data.begin()));
      EXPECT_EQ(armature::find(vector, wanted), expected);
    }
    EXPECT_EQ(armature::find_if(vector, is_odd).has_value(), std::ranges::any_of(one.data, is_odd));
  });
}

TEST(MinMax, name_the_same_elements_as_std) {
  for_all_cases([](const Case& one) {
    const auto vector = distributed(one);
    if (one.size == 0) {
      EXPECT_EQ(armature::min_element(vector), std::nullopt);
      EXPECT_EQ(armature::minmax_element(vector), std::nullopt);
      return;
    }
    const auto index = [&](auto at) { return static_cast<std::size_t>(at - one.data.begin()); };
    const auto [low, high] = std::minmax_element(one.data.begin(), one.data.end());
    EXPECT_EQ(armature::min_element(vector), index(std::ranges::min_element(one.data)));
    EXPECT_EQ(armature::max_element(vector), index(std::ranges::max_element(one.data)));
    EXPECT_EQ(armature::minmax_element(vector), std::pair(index(low), index(high)));
  });
}

TEST(MinMax, of_strings_take_no_place_among_the_objects_that_others_call) {
  armature::distributed_vector<std::string> vector(world(), 5, "word");
  const armature::shared<int> before(world(), 0);
  EXPECT_EQ(armature::min_element(vector), 0U);
  const armature::shared<int> after(world(), 0);
  EXPECT_EQ(after.id().index, before.id().index + 2);
}
