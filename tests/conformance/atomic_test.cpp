#include <algorithm>
#include <set>

#include "reachable.hpp"

using namespace conformance;

namespace {
template <class T>
class Atomic : public testing::Test {};
using Integers = testing::Types<std::int32_t, std::uint32_t, std::int64_t, std::uint64_t>;
}  // namespace

TYPED_TEST_SUITE(Atomic, Integers);

RANKS_TYPED_TEST(Atomic, each_operation_returns_what_was_there_and_leaves_its_result) {
  using T = TypeParam;
  auto piece = Reachable<T>(3);
  const auto at = piece.on(right()) + 1;
  EXPECT_EQ(armature::fetch_add(at, T(41)), T(0));
  EXPECT_EQ(armature::fetch_add(at, T(-1)), T(41));
  EXPECT_EQ(armature::swap(at, T(0b1100)), T(40));
  EXPECT_EQ(armature::fetch_and(at, T(0b0110)), T(0b1100));
  EXPECT_EQ(armature::fetch_or(at, T(0b0001)), T(0b0100));
  EXPECT_EQ(armature::fetch_xor(at, T(0b1111)), T(0b0101));
  EXPECT_EQ(armature::compare_swap(at, T(5), T(99)), T(0b1010));  // not what was expected: no store
  EXPECT_EQ(armature::compare_swap(at, T(0b1010), T(7)), T(0b1010));
  world().barrier();
  EXPECT_EQ(piece[0], T(0));
  EXPECT_EQ(piece[1], T(7));
  EXPECT_EQ(piece[2], T(0));
  world().barrier();
  piece.free();
}

RANKS_TYPED_TEST(Atomic, addition_wraps_around) {
  using T = TypeParam;
  auto piece = Reachable<T>(2);
  const auto at = piece.on(right());
  armature::put(at, std::numeric_limits<T>::max());
  EXPECT_EQ(armature::fetch_add(at, T(1)), std::numeric_limits<T>::max());
  EXPECT_EQ(armature::get(at), std::numeric_limits<T>::min());
  world().barrier();
  EXPECT_EQ(piece[1], T(0));
  piece.free();
}

RANKS_TYPED_TEST(Atomic, contended_fetch_add_gives_every_ticket_once) {
  using T = TypeParam;
  const int each = often(3000);
  auto counter = Reachable<T>(1);
  std::vector<T> tickets(static_cast<std::size_t>(each));
  world().barrier();
  for (T& ticket : tickets) ticket = armature::fetch_add(counter.on(0), T(1));
  EXPECT_TRUE(std::ranges::is_sorted(tickets));
  auto all = std::vector<T>(static_cast<std::size_t>(each * ranks()));
  gather<T>(world(), tickets, all, 0);
  if (me() == 0) {
    std::ranges::sort(all);
    for (std::size_t i = 0; i < all.size(); ++i) ASSERT_EQ(all[i], static_cast<T>(i));
  }
  world().barrier();
  counter.free();
}

RANKS_TYPED_TEST(Atomic, contended_swap_loses_no_value) {
  using T = TypeParam;
  constexpr int each = 2000;
  auto word = Reachable<T>(1);
  std::vector<T> seen;
  world().barrier();
  for (int i = 0; i < each; ++i)
    seen.push_back(armature::swap(word.on(0), static_cast<T>(1 + me() * each + i)));
  world().barrier();
  if (me() == 0) seen.push_back(word[0]);
  std::int64_t sum = 0;
  for (const T x : seen) sum += static_cast<std::int64_t>(x);
  const std::int64_t n = std::int64_t{each} * ranks();
  EXPECT_EQ(allreduce(world(), sum), n * (n + 1) / 2);
  word.free();
}

RANKS_TYPED_TEST(Atomic, contended_compare_swap_counts_exactly) {
  using T = TypeParam;
  const int each = often(1000);
  auto word = Reachable<T>(1);
  world().barrier();
  for (int i = 0; i < each; ++i) {
    T expected = armature::get(word.on(0));
    for (;;) {
      const T found = armature::compare_swap(word.on(0), expected, static_cast<T>(expected + 3));
      if (found == expected) break;
      expected = found;
    }
  }
  world().barrier();
  EXPECT_EQ(armature::get(word.on(0)), static_cast<T>(3 * each * ranks()));
  world().barrier();
  word.free();
}

RANKS_TYPED_TEST(Atomic, every_rank_owns_its_bit) {
  using T = TypeParam;
  auto word = Reachable<T>(3);
  const T bit = static_cast<T>(T(1) << me());
  const T all = static_cast<T>((T(1) << ranks()) - 1);
  if (me() == 0) armature::put(word.on(0) + 1, all);
  world().barrier();
  for (int i = 0; i < 999; ++i) armature::fetch_xor(word.on(0), bit);  // an odd number of times
  armature::fetch_and(word.on(0) + 1, static_cast<T>(~bit));
  armature::fetch_or(word.on(0) + 2, bit);
  world().barrier();
  EXPECT_EQ(armature::get(word.on(0)), all);
  EXPECT_EQ(armature::get(word.on(0) + 1), T(0));
  EXPECT_EQ(armature::get(word.on(0) + 2), all);
  world().barrier();
  word.free();
}

RANKS_TYPED_TEST(Atomic, value_puts_and_gets_take_part) {
  using T = TypeParam;
  auto word = Reachable<T>(1);
  armature::put(word.on(right()), T(10));
  EXPECT_EQ(armature::fetch_add(word.on(right()), T(5)), T(10));
  EXPECT_EQ(armature::get(word.on(right())), T(15));
  world().barrier();
  word.free();
}
