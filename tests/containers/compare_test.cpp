// Algorithms that compare and search, against those of the standard library.
#include <algorithm>
#include <optional>
#include <vector>

#include "cases.hpp"

using namespace containers;

namespace {

std::optional<std::size_t> index(const std::vector<long>& data,
                                 std::vector<long>::const_iterator at) {
  return at == data.end() ? std::nullopt
                          : std::optional(static_cast<std::size_t>(at - data.begin()));
}

}  // namespace

TEST(Equal, mismatch_and_the_order_of_dictionaries_agree_with_std) {
  for_all_cases([](const Case& one) {
    const auto vector = distributed(one);
    std::vector<std::vector<long>> others{one.data, one.data, one.data};
    others[1].push_back(3);
    if (!one.data.empty()) others[2][one.size * 2 / 3] += one.seed % 2 == 0 ? 1 : -1;
    for (const std::vector<long>& other : others) {
      armature::distributed_vector<long> second(world(), other.size());
      std::ranges::copy(std::span(other).subspan(second.offset(), second.local().size()),
                        second.local().begin());
      EXPECT_EQ(armature::equal(vector, second), one.data == other);
      EXPECT_EQ(armature::lexicographical_compare(vector, second),
                std::ranges::lexicographical_compare(one.data, other));
      EXPECT_EQ(armature::lexicographical_compare(second, vector),
                std::ranges::lexicographical_compare(other, one.data));
      const auto at = std::ranges::mismatch(one.data, other).in1;
      const auto expected = one.data == other
                                ? std::nullopt
                                : std::optional(static_cast<std::size_t>(at - one.data.begin()));
      EXPECT_EQ(armature::mismatch(vector, second), expected);
    }
  });
}

TEST(AdjacentFind, and_sorted_partitioned_and_heaped_beginnings_agree_with_std) {
  for_all_cases([](const Case& one) {
    for (int kind = 0; kind < 4; ++kind) {
      Case ordered = one;
      auto& data = ordered.data;
      if (kind == 1) std::ranges::sort(data);
      if (kind == 2) std::ranges::make_heap(data);
      if (kind == 3) std::ranges::partition(data, is_odd);
      if (kind > 0 && data.size() > 10) data[data.size() - 4] += one.seed % 3 == 0 ? 9999999 : 0;
      const auto vector = distributed(ordered);
      const auto length = [&](auto until) {
        return static_cast<std::size_t>(until - data.begin());
      };
      EXPECT_EQ(armature::adjacent_find(vector), index(data, std::ranges::adjacent_find(data)));
      EXPECT_EQ(armature::is_sorted_until(vector), length(std::ranges::is_sorted_until(data)));
      EXPECT_EQ(armature::is_sorted(vector), std::ranges::is_sorted(data));
      EXPECT_EQ(armature::is_heap_until(vector), length(std::ranges::is_heap_until(data)));
      EXPECT_EQ(armature::is_heap(vector), std::ranges::is_heap(data));
      EXPECT_EQ(armature::is_partitioned(vector, is_odd),
                std::ranges::is_partitioned(data, is_odd));
    }
  });
}

TEST(Search, finds_patterns_that_reach_over_pieces) {
  for_all_cases([](const Case& one) {
    const auto vector = distributed(one);
    const auto& data = one.data;
    std::vector<std::vector<long>> patterns{{}, {7}, {7, 7, 7}, {1, 2}, {123456789}};
    for (const std::size_t length : {1, 3, 50})
      for (const std::size_t from : {std::size_t{0}, one.size / 2, one.size - one.size / 10})
        if (from + length <= data.size())
          patterns.emplace_back(data.begin() + static_cast<std::ptrdiff_t>(from),
                                data.begin() + static_cast<std::ptrdiff_t>(from + length));
    patterns.push_back(data);
    patterns.back().push_back(1);
    for (const auto& pattern : patterns) {
      const auto first = std::search(data.begin(), data.end(), pattern.begin(), pattern.end());
      EXPECT_EQ(armature::search(vector, pattern),
                pattern.empty() ? std::optional<std::size_t>(0) : index(data, first));
      const auto last = std::find_end(data.begin(), data.end(), pattern.begin(), pattern.end());
      EXPECT_EQ(armature::find_end(vector, pattern),
                pattern.empty() ? std::optional(data.size()) : index(data, last));
      EXPECT_EQ(armature::find_first_of(vector, pattern),
                index(data, std::find_first_of(data.begin(), data.end(), pattern.begin(),
                                               pattern.end())));
    }
    EXPECT_EQ(armature::find_if_not(vector, is_odd),
              index(data, std::ranges::find_if_not(data, is_odd)));
    for (const std::size_t n :
         {std::size_t{0}, std::size_t{1}, std::size_t{3}, one.size, one.size + 1}) {
      const auto at = std::search_n(data.begin(), data.end(), static_cast<std::ptrdiff_t>(n), 7L);
      EXPECT_EQ(armature::search_n(vector, n, 7L),
                n == 0 ? std::optional<std::size_t>(0) : index(data, at));
    }
  });
}

TEST(Search, finds_strings) {
  armature::distributed_vector<std::string> words(world(), 30);
  armature::generate(words, [](std::size_t i) { return std::to_string(i % 10); });
  const std::vector<std::string> pattern{"8", "9", "0"};
  EXPECT_EQ(armature::search(words, pattern), 8U);
  EXPECT_EQ(armature::find_end(words, pattern), 18U);
  EXPECT_TRUE(armature::equal(words.slice(0, 10), words.slice(10, 20)));
  EXPECT_FALSE(armature::equal(words.slice(0, 10), words.slice(1, 11)));
}
