#include <algorithm>
#include <bit>
#include <complex>
#include <numeric>

#include "conformance.hpp"

// Reductions and prefixes: every arithmetic type, operators of the user, those that do not commute.

using namespace conformance;

namespace {

const std::size_t lengths[] = {0, 1, 2, 5, 6, 7, 11, 12, 13, 100, 8191, 8192, 8193, 140000};

template <class T>
T value(int rank, std::size_t i) {
  return static_cast<T>((static_cast<std::size_t>(rank) * 3 + i) % 5);
}

template <class T>
std::vector<T> values(int rank, std::size_t n) {
  std::vector<T> made(n);
  for (std::size_t i = 0; i < n; ++i) made[i] = value<T>(rank, i);
  return made;
}

/// x -> a x + b, composed: associative, does not commute.
struct Affine {
  std::uint64_t a = 1;
  std::uint64_t b = 0;
  bool operator==(const Affine&) const = default;
};
struct Then {
  Affine operator()(const Affine& f, const Affine& g) const { return {f.a * g.a, g.a * f.b + g.b}; }
};
Affine step(int rank, std::size_t i) {
  return {2 * static_cast<std::uint64_t>(rank) + 3 + i, static_cast<std::uint64_t>(rank) * 7 + i};
}
/// The composition of what members first .. last have at place i.
Affine chain(int last, std::size_t i) {
  Affine all = step(0, i);
  for (int rank = 1; rank <= last; ++rank) all = Then{}(all, step(rank, i));
  return all;
}
std::vector<Affine> steps(int rank, std::size_t n) {
  std::vector<Affine> made(n);
  for (std::size_t i = 0; i < n; ++i) made[i] = step(rank, i);
  return made;
}

template <class T>
class Reduce : public testing::Test {};
using Arithmetic =
    testing::Types<char, std::int8_t, std::uint8_t, std::int16_t, std::uint16_t, std::int32_t,
                   std::uint32_t, std::int64_t, std::uint64_t, float, double, long double>;

}  // namespace

TYPED_TEST_SUITE(Reduce, Arithmetic);

RANKS_TYPED_TEST(Reduce, allreduce_adds_elements_of_every_type) {
  using T = TypeParam;
  for (const std::size_t n : {0U, 1U, 3U, 50U, 9000U}) {
    auto data = values<T>(me(), n);
    allreduce(world(), std::span(data));
    for (std::size_t i = 0; i < n; ++i) {
      T sum{};
      for (int rank = 0; rank < ranks(); ++rank) sum = static_cast<T>(sum + value<T>(rank, i));
      ASSERT_EQ(data[i], sum) << i << " of " << n;
    }
  }
}

RANKS_TYPED_TEST(Reduce, allreduce_of_a_value_with_every_operator) {
  using T = TypeParam;
  const T mine = static_cast<T>(me() + 1);
  const int n = ranks();
  EXPECT_EQ(allreduce(world(), mine), static_cast<T>(n * (n + 1) / 2));
  EXPECT_EQ(allreduce(world(), mine, armature::Maximum{}), static_cast<T>(n));
  EXPECT_EQ(allreduce(world(), mine, armature::Minimum{}), static_cast<T>(1));
  const auto twos = allreduce(world(), static_cast<T>(me() < 5 ? 2 : 1), std::multiplies<>{});
  EXPECT_EQ(twos, static_cast<T>(1 << std::min(n, 5)));
}

RANKS_TYPED_TEST(Reduce, scan_of_a_value_is_an_inclusive_prefix) {
  using T = TypeParam;
  EXPECT_EQ(scan(world(), static_cast<T>(me() + 1)), static_cast<T>((me() + 1) * (me() + 2) / 2));
  const auto highest = scan(world(), static_cast<T>(me() == 0 ? 7 : me() % 3), armature::Maximum{});
  EXPECT_EQ(highest, static_cast<T>(7));
}

TEST(Reductions, allreduce_in_every_size) {
  for (const std::size_t n : lengths) {
    auto data = values<std::int64_t>(me(), n);
    allreduce(world(), std::span(data));
    for (std::size_t i = 0; i < n; ++i) {
      std::int64_t sum = 0;
      for (int rank = 0; rank < ranks(); ++rank) sum += value<std::int64_t>(rank, i);
      ASSERT_EQ(data[i], sum) << i << " of " << n;
    }
  }
}

TEST(Reductions, reduce_gives_the_result_to_every_root_only) {
  for (const std::size_t n : lengths) {
    for (int root = 0; root < ranks(); ++root) {
      auto data = values<std::int32_t>(me(), n);
      reduce(world(), std::span(data), root, armature::Maximum{});
      for (std::size_t i = 0; i < n; ++i) {
        std::int32_t highest = value<std::int32_t>(me(), i);
        for (int rank = 0; me() == root && rank < ranks(); ++rank)
          highest = std::max(highest, value<std::int32_t>(rank, i));
        ASSERT_EQ(data[i], highest) << i << " of " << n << " at " << root;
      }
    }
  }
}

TEST(Reductions, operators_that_do_not_commute_are_applied_in_team_order) {
  for (const std::size_t n : {1U, 2U, 3U, 4U, 100U, 4097U, 70000U}) {
    auto all = steps(me(), n);
    allreduce(world(), std::span(all), Then{});
    for (std::size_t i = 0; i < n; ++i) ASSERT_EQ(all[i], chain(ranks() - 1, i)) << i;
    auto prefix = steps(me(), n);
    scan(world(), std::span(prefix), Then{});
    for (std::size_t i = 0; i < n; ++i) ASSERT_EQ(prefix[i], chain(me(), i)) << i;
    auto at_root = steps(me(), n);
    reduce(world(), std::span(at_root), ranks() - 1, Then{});
    if (me() == ranks() - 1) {
      for (std::size_t i = 0; i < n; ++i) ASSERT_EQ(at_root[i], chain(ranks() - 1, i)) << i;
    }
  }
}

TEST(Reductions, team_order_is_not_rank_order) {
  const auto backwards = world().split(0, -me());
  const Affine all = allreduce(backwards, step(backwards.rank(), 0), Then{});
  EXPECT_EQ(all, chain(ranks() - 1, 0));
  EXPECT_EQ(scan(backwards, step(backwards.rank(), 0), Then{}), chain(backwards.rank(), 0));
}

struct alignas(64) Wide {
  std::int64_t value = 0;
};

/// Operands are aligned in whatever memory the library combines them.
TEST(Reductions, operands_are_aligned) {
  const auto add = [](const Wide& a, const Wide& b) {
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(&a) % alignof(Wide), 0U);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(&b) % alignof(Wide), 0U);
    return Wide{a.value + b.value};
  };
  for (const std::size_t n : {1U, 9U, 600U}) {
    std::vector<Wide> data(n, Wide{me() + 1}), before = data;
    allreduce(world(), std::span(data), add);
    exclusive_scan(world(), std::span(before), Wide{}, add);
    EXPECT_EQ(data[n - 1].value, ranks() * (ranks() + 1) / 2);
    EXPECT_EQ(before[n - 1].value, me() * (me() + 1) / 2);
  }
}

TEST(Reductions, every_member_gets_the_same_bits) {
  std::mt19937 random(static_cast<unsigned>(me()));
  std::uniform_real_distribution<double> spread(-1e10, 1e10);
  for (const std::size_t n : {1U, 10U, 1000U, 20000U}) {
    std::vector<double> data(n);
    for (double& x : data) x = spread(random) * 1e-7;
    allreduce(world(), std::span(data));
    std::vector<std::uint64_t> bits(n);
    std::ranges::transform(data, bits.begin(),
                           [](double x) { return std::bit_cast<std::uint64_t>(x); });
    auto of_zero = bits;
    broadcast(world(), std::span(of_zero), 0);
    EXPECT_EQ(bits, of_zero) << n;
  }
}

TEST(Reductions, reduce_of_a_value) {
  for (int root = 0; root < ranks(); ++root) {
    const int sum = reduce(world(), me() + 1, root);
    EXPECT_EQ(sum, me() == root ? ranks() * (ranks() + 1) / 2 : me() + 1);
  }
}

TEST(Reductions, exclusive_scan_in_every_size) {
  for (const std::size_t n : lengths) {
    auto data = values<std::int64_t>(me(), n);
    exclusive_scan(world(), std::span(data), 7);
    for (std::size_t i = 0; i < n; ++i) {
      std::int64_t sum = 7;
      for (int rank = 0; rank < me(); ++rank) sum += value<std::int64_t>(rank, i);
      ASSERT_EQ(data[i], sum) << i << " of " << n;
    }
  }
}

TEST(Reductions, exclusive_scan_may_begin_with_an_element_of_its_data) {
  for (const std::size_t n : lengths) {
    if (n == 0) continue;
    std::vector<std::int64_t> data(n, 3);
    exclusive_scan(world(), std::span(data), data.front());
    for (std::size_t i = 0; i < n; ++i) ASSERT_EQ(data[i], 3 * (me() + 1)) << i << " of " << n;
  }
}

TEST(Reductions, exclusive_scan_keeps_the_order) {
  const Affine first = step(ranks(), 0);
  Affine expected = first;
  if (me() > 0) expected = Then{}(first, chain(me() - 1, 0));
  EXPECT_EQ(exclusive_scan(world(), step(me(), 0), first, Then{}), expected);
}

TEST(Reductions, scan_in_every_size) {
  for (const std::size_t n : lengths) {
    auto data = values<std::int64_t>(me(), n);
    scan(world(), std::span(data));
    for (std::size_t i = 0; i < n; ++i) {
      std::int64_t sum = 0;
      for (int rank = 0; rank <= me(); ++rank) sum += value<std::int64_t>(rank, i);
      ASSERT_EQ(data[i], sum) << i << " of " << n;
    }
  }
}

TEST(Reductions, operators_may_have_state_and_be_lambdas) {
  int called = 0;
  const auto counting = [&called](int a, int b) {
    ++called;
    return std::max(a, b);
  };
  EXPECT_EQ(allreduce(world(), me(), counting), ranks() - 1);
  // In a large team one member of each node combines for all.
  EXPECT_TRUE(ranks() == 1 || allreduce(world(), called) > 0);
  const int modulus = 1009;
  const auto product =
      allreduce(world(), me() + 2, [modulus](int a, int b) { return a * b % modulus; });
  int expected = 1;
  for (int rank = 0; rank < ranks(); ++rank) expected = expected * (rank + 2) % modulus;
  EXPECT_EQ(product, expected);
}

TEST(Reductions, elements_may_be_structs_of_any_size) {
  struct Extremes {
    double low, high;
    int count;
  };
  const auto join = [](const Extremes& a, const Extremes& b) {
    return Extremes{std::min(a.low, b.low), std::max(a.high, b.high), a.count + b.count};
  };
  const auto all = allreduce(world(), Extremes{-1.0 * me(), 2.0 * me(), 1}, join);
  EXPECT_EQ(all.low, -1.0 * (ranks() - 1));
  EXPECT_EQ(all.high, 2.0 * (ranks() - 1));
  EXPECT_EQ(all.count, ranks());
  const auto sum = allreduce(world(), std::complex<double>(me(), 1));
  EXPECT_EQ(sum, std::complex<double>(ranks() * (ranks() - 1) / 2, ranks()));
}
