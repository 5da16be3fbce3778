#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <random>
#include <span>
#include <string>
#include <vector>

#include "armature/algorithm.hpp"
#include "armature/container.hpp"
#include "conformance.hpp"

// Random data, the same on every rank, in several sizes, kinds of keys and distributions. Each test
// does the same with the standard library's algorithm and compares.

namespace containers {

using conformance::me;
using conformance::ranks;
using conformance::world;

enum class Keys { any, few, skewed, equal };
enum class Layout { even, uneven, one_has_all };

struct Case {
  std::size_t size;
  Keys keys;
  Layout layout;
  std::uint64_t seed;
  std::vector<long> data;

  [[nodiscard]] std::string text() const {
    static constexpr const char* keys_text[] = {"any", "few", "skewed", "equal"};
    static constexpr const char* layout_text[] = {"even", "uneven", "one has all"};
    return std::to_string(size) + " elements, keys " + keys_text[static_cast<int>(keys)] +
           ", layout " + layout_text[static_cast<int>(layout)] + ", seed " + std::to_string(seed);
  }
};

inline bool is_odd(long x) { return x % 2 != 0; }

inline long key(Keys keys, std::mt19937_64& random) {
  switch (keys) {
    case Keys::any:
      return static_cast<long>(random() % 2'000'001) - 1'000'000;
    case Keys::few:
      return static_cast<long>(random() % 4);
    case Keys::skewed:
      return static_cast<long>(std::exp(static_cast<double>(random() % 1000) / 80));
    case Keys::equal:
      break;
  }
  return 7;
}

inline std::vector<Case> cases() {
  const auto p = static_cast<std::size_t>(ranks());
  std::vector<Case> all;
  for (const std::size_t size :
       {std::size_t{0}, std::size_t{1}, p - 1, p, p + 1, std::size_t{20'000}})
    for (const Keys keys : {Keys::any, Keys::few, Keys::skewed, Keys::equal}) {
      if (size < 100 && (keys == Keys::few || keys == Keys::skewed)) continue;
      for (const Layout layout : {Layout::even, Layout::uneven, Layout::one_has_all}) {
        Case one{size, keys, layout, all.size() + 1, {}};
        std::mt19937_64 random(one.seed);
        for (std::size_t i = 0; i < size; ++i) one.data.push_back(key(keys, random));
        all.push_back(std::move(one));
      }
    }
  return all;
}

/// How many elements each rank has.
inline std::vector<std::size_t> counts_of(const Case& one) {
  std::vector<std::size_t> counts(static_cast<std::size_t>(ranks()));
  std::mt19937_64 random(one.seed);
  std::size_t left = one.size;
  for (std::size_t m = 0; m + 1 < counts.size(); ++m) {
    if (one.layout == Layout::even) counts[m] = left / (counts.size() - m);
    if (one.layout == Layout::uneven) counts[m] = random() % (left + 1);
    left -= counts[m];
  }
  counts.back() = left;
  return counts;
}

/// All of `data`, divided as the case says.
template <class T>
armature::distributed_vector<T> distributed(const Case& one, const std::vector<T>& data) {
  const armature::Blocks blocks = armature::Blocks::of(counts_of(one));
  const auto begin = data.begin() + static_cast<std::ptrdiff_t>(blocks.first(me()));
  return armature::distributed_vector<T>::from_local(
      world(),
      std::ranges::subrange(begin, begin + static_cast<std::ptrdiff_t>(blocks.count(me()))));
}
inline armature::distributed_vector<long> distributed(const Case& one) {
  return distributed(one, one.data);
}

/// My piece holds what lies there in `expected`.
template <class R, class T>
void expect_elements(const R& range, const std::vector<T>& expected) {
  const auto view = range.view();
  ASSERT_EQ(view.size(), expected.size());
  const auto mine = view.local();
  const auto begin = expected.begin() + static_cast<std::ptrdiff_t>(view.offset());
  EXPECT_TRUE(std::ranges::equal(mine, std::span(begin, mine.size())));
}

/// Runs `check(one)` for all cases, and says which one failed.
template <class F>
void for_all_cases(F check) {
  for (const Case& one : cases()) {
    const testing::ScopedTrace trace(__FILE__, __LINE__, one.text());
    check(one);
    if (testing::Test::HasFailure()) return;
  }
}

}  // namespace containers
