#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <random>
#include <stdexcept>
#include <string>

#include "cases.hpp"

using namespace containers;

namespace {

struct Card {
  long rank;
  std::size_t place;
  friend bool operator==(const Card&, const Card&) = default;
};

std::vector<Card> cards(const std::vector<long>& data) {
  std::vector<Card> all;
  for (std::size_t i = 0; i < data.size(); ++i) all.push_back({data[i], i});
  return all;
}
bool is_lower(const Card& a, const Card& b) { return a.rank < b.rank; }

}  // namespace

TEST(Sort, agrees_with_std_and_keeps_the_distribution) {
  for_all_cases([](const Case& one) {
    auto vector = distributed(one);
    const auto blocks = vector.blocks();
    armature::sort(vector);
    auto expected = one.data;
    std::ranges::sort(expected);
    expect_elements(vector, expected);
    EXPECT_EQ(vector.blocks(), blocks);
    armature::sort(vector, std::greater<>());
    std::ranges::reverse(expected);
    expect_elements(vector, expected);
  });
}

TEST(StableSort, keeps_the_order_of_equal_elements) {
  for_all_cases([](const Case& one) {
    auto expected = cards(one.data);
    auto vector = distributed(one, expected);
    armature::stable_sort(vector, is_lower);
    std::ranges::stable_sort(expected, is_lower);
    expect_elements(vector, expected);
  });
}

TEST(Sort, of_a_section_leaves_the_rest) {
  for_all_cases([](const Case& one) {
    auto vector = distributed(one);
    const std::size_t first = one.size / 5, last = one.size - one.size / 3;
    armature::sort(vector.slice(first, last));
    auto expected = one.data;
    std::sort(expected.begin() + static_cast<std::ptrdiff_t>(first),
              expected.begin() + static_cast<std::ptrdiff_t>(last));
    expect_elements(vector, expected);
  });
}

TEST(Sort, sorts_strings) {
  for_all_cases([](const Case& one) {
    std::vector<std::string> words;
    for (std::size_t i = 0; i < one.size; i += 10) words.push_back(std::to_string(one.data[i]));
    Case fewer = one;
    fewer.size = words.size();
    auto vector = distributed(fewer, words);
    armature::sort(vector);
    std::ranges::sort(words);
    expect_elements(vector, words);
  });
}

TEST(Sort, leaves_elements_whole_where_the_order_takes_them_by_value) {
  armature::distributed_vector<std::string> vector(world(), 50);
  const auto text = [](std::size_t i) {
    return "longer than what lies in the string itself " + std::to_string(100 + i);
  };
  armature::generate(vector, [&](std::size_t i) { return text(i * 7 % 50); });
  armature::sort(vector, [](std::string a, std::string b) { return a < b; });
  std::vector<std::string> expected;
  for (std::size_t i = 0; i < 50; ++i) expected.push_back(text(i));
  expect_elements(vector, expected);
}

template <class T>
void expect_numbers_are_sorted(const std::vector<T>& numbers) {
  const Case one{numbers.size(), Keys::any, Layout::uneven, 3, {}};
  auto expected = numbers;
  auto vector = distributed(one, numbers);
  armature::sort(vector);
  std::ranges::sort(expected);
  expect_elements(vector, expected);
  auto backwards = distributed(one, numbers);
  armature::stable_sort(backwards, std::greater<>());
  std::ranges::reverse(expected);
  expect_elements(backwards, expected);
}

// Enough of them that each member sorts its piece by digits.
TEST(Sort, sorts_numbers_of_every_kind) {
  std::mt19937_64 random(5);
  std::vector<double> doubles{0.0,    -0.0,    std::numeric_limits<double>::infinity(),
                              1e-310, -1e-310, -std::numeric_limits<double>::infinity()};
  std::vector<float> floats;
  std::vector<std::int32_t> ints;
  std::vector<std::uint64_t> words;
  std::vector<std::int64_t> few;
  for (int i = 0; i < 60'000; ++i) {
    const std::uint64_t bits = random();
    doubles.push_back(
        std::ldexp(static_cast<double>(bits % 1000) - 500, static_cast<int>(bits >> 58) - 30));
    floats.push_back(static_cast<float>(doubles.back()));
    ints.push_back(static_cast<std::int32_t>(bits));
    words.push_back(bits);
    few.push_back(static_cast<std::int64_t>(bits % 5) - 2);
  }
  expect_numbers_are_sorted(doubles);
  expect_numbers_are_sorted(floats);
  expect_numbers_are_sorted(ints);
  expect_numbers_are_sorted(words);
  expect_numbers_are_sorted(few);
}

TEST(Sort, leaves_zeros_of_both_signs_in_their_order) {
  std::vector<double> zeros;
  for (int i = 0; i < 20'000; ++i) zeros.push_back(i % 3 == 0 ? -0.0 : i % 7 == 0 ? 1.0 : 0.0);
  const Case one{zeros.size(), Keys::any, Layout::even, 3, {}};
  auto vector = distributed(one, zeros);
  armature::stable_sort(vector);
  std::ranges::stable_sort(zeros);
  const auto mine = vector.local();
  for (std::size_t i = 0; i < mine.size(); ++i)
    EXPECT_EQ(std::signbit(mine[i]), std::signbit(zeros[vector.offset() + i]));
  vector.fence();
}

// The sorts of few elements by one member, and of many by all.
TEST(Sort, an_order_that_throws_somewhere_ends_it_everywhere) {
  for (const std::size_t size : {std::size_t{3}, std::size_t{200}, std::size_t{20'000}}) {
    armature::distributed_vector<long> vector(world(), size);
    armature::generate(vector, [](std::size_t i) { return static_cast<long>(i * 7919 % 1009); });
    // Only one member throws, and not at once.
    std::size_t calls = 0;
    const auto less = [&](long a, long b) {
      if (me() == 0 && ++calls > size / 2) throw std::runtime_error("these do not compare");
      return a < b;
    };
    bool is_told = false;
    try {
      armature::sort(vector, less);
    } catch (const std::exception& error) {
      is_told = std::string(error.what()).find("these do not compare") != std::string::npos;
    }
    // The member that sorts few elements alone is not always the one whose order throws.
    const bool throws = calls > size / 2;
    EXPECT_EQ(is_told, allreduce(world(), throws, std::logical_or<>()));
    EXPECT_TRUE(is_told || size < 1000);
    armature::sort(vector);
    EXPECT_TRUE(armature::is_sorted(vector));
  }
}

TEST(SortByKey, moves_the_values_with_their_keys) {
  for_all_cases([](const Case& one) {
    auto keys = distributed(one);
    armature::distributed_vector<std::size_t> places(world(), one.size);
    armature::generate(places, [](std::size_t i) { return i; });
    armature::sort_by_key(keys, places);
    auto expected = cards(one.data);
    std::ranges::stable_sort(expected, is_lower);
    std::vector<std::size_t> expected_places;
    for (const Card& card : expected) expected_places.push_back(card.place);
    auto expected_keys = one.data;
    std::ranges::sort(expected_keys);
    expect_elements(keys, expected_keys);
    expect_elements(places, expected_places);
  });
}

TEST(Partition, puts_those_first_for_which_the_condition_holds) {
  for_all_cases([](const Case& one) {
    auto vector = distributed(one);
    const auto is_odd = [](long x) { return x % 2 != 0; };
    const std::size_t first = armature::partition(vector, is_odd);
    auto expected = one.data;
    const auto rest = std::ranges::stable_partition(expected, is_odd);
    EXPECT_EQ(first, expected.size() - rest.size());
    expect_elements(vector, expected);
  });
}

TEST(Unique, keeps_one_of_each_run) {
  for_all_cases([](const Case& one) {
    auto vector = distributed(one);
    auto expected = one.data;
    for (const bool sorted : {false, true}) {
      if (sorted) {
        armature::sort(vector);
        std::ranges::sort(expected);
      }
      auto kept = expected;
      const auto tail = std::ranges::unique(kept);
      kept.erase(tail.begin(), tail.end());
      auto copy = vector.clone();
      const std::size_t left = armature::unique(copy);
      ASSERT_EQ(left, kept.size());
      expect_elements(copy.slice(0, left), kept);
    }
  });
}

TEST(NthElement, puts_it_in_place_and_the_others_on_their_sides) {
  for_all_cases([](const Case& one) {
    auto expected = one.data;
    std::ranges::sort(expected);
    for (const std::size_t n : {std::size_t{0}, one.size / 2, one.size - 1}) {
      if (one.size == 0) return;
      auto vector = distributed(one);
      EXPECT_EQ(armature::nth_value(vector, n), expected[n]);
      expect_elements(vector, one.data);
      EXPECT_EQ(armature::nth_element(vector, n), expected[n]);
      EXPECT_EQ(static_cast<long>(vector[n]), expected[n]);
      EXPECT_EQ(armature::max_element(vector.slice(0, n + 1)).value_or(0),
                armature::find(vector, expected[n]).value_or(0));
      armature::sort(vector);
      expect_elements(vector, expected);
    }
  });
}

TEST(Top, has_those_that_come_first_in_their_order) {
  for_all_cases([](const Case& one) {
    auto vector = distributed(one, cards(one.data));
    auto expected = cards(one.data);
    std::ranges::stable_sort(expected, is_lower);
    for (const std::size_t count : {std::size_t{0}, std::size_t{3}, one.size + 1}) {
      const auto found = armature::top(vector, count, is_lower);
      ASSERT_EQ(found.size(), std::min(count, one.size));
      EXPECT_TRUE(std::ranges::equal(found, std::span(expected).first(found.size())));
    }
    expect_elements(vector, cards(one.data));
  });
}
