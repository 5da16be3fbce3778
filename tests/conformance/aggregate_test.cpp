#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <span>

#include "reachable.hpp"

using namespace conformance;
using armature::Aggregate;

namespace {

/// An address of no memory, about which the compiler knows nothing.
int* nowhere() {
  static volatile std::uintptr_t address = 64;
  return reinterpret_cast<int*>(address);
}

}  // namespace

TEST(Aggregate, many_small_puts_complete_with_one_wait) {
  constexpr std::size_t n = 5000;
  auto piece = Reachable<std::uint64_t>(2 * n);
  std::vector<std::uint64_t> source(n);
  Aggregate aggregate(right());
  for (std::size_t i = 0; i < n; ++i) {
    source[i] = i + 1000 * static_cast<std::size_t>(me());
    aggregate.put(piece.on(right()) + static_cast<std::ptrdiff_t>(2 * i), &source[i], 1);
  }
  EXPECT_EQ(aggregate.requests(), n);
  aggregate.wait();
  std::ranges::fill(source, 0);
  world().barrier();
  for (std::size_t i = 0; i < n; ++i) {
    ASSERT_EQ(piece[2 * i], i + 1000 * static_cast<std::size_t>(left()));
    ASSERT_EQ(piece[2 * i + 1], 0U);
  }
  world().barrier();
  piece.free();
}

TEST(Aggregate, many_small_gets_complete_with_one_wait) {
  constexpr std::size_t n = 5000;
  auto piece = Reachable<std::uint64_t>(n);
  for (std::size_t i = 0; i < n; ++i) piece[i] = i * i + static_cast<std::size_t>(me());
  world().barrier();
  std::vector<std::uint64_t> into(n);
  Aggregate aggregate(right());
  for (std::size_t i = 0; i < n; ++i)
    aggregate.get(&into[i], piece.on(right()) + static_cast<std::ptrdiff_t>((i * 7919) % n));
  aggregate.wait();
  for (std::size_t i = 0; i < n; ++i) {
    const std::size_t j = (i * 7919) % n;
    ASSERT_EQ(into[i], j * j + static_cast<std::size_t>(right()));
  }
  world().barrier();
  piece.free();
}

/// As many gets of that type as there are in `rounds` lists, and one more.
template <class T>
void get_more_than_a_list(int rounds) {
  const std::size_t n = static_cast<std::size_t>(rounds) * 1024 + 1;
  auto piece = Reachable<T>(n);
  for (std::size_t i = 0; i < n; ++i)
    piece[i] = static_cast<T>(i * 3 + static_cast<unsigned>(me()));
  world().barrier();
  std::vector<T> into(n);
  Aggregate aggregate(right());
  for (std::size_t i = 0; i < n; ++i)
    aggregate.get(&into[i], piece.on(right()) + static_cast<std::ptrdiff_t>(i));
  while (!aggregate.test()) continue;
  aggregate.wait();
  for (std::size_t i = 0; i < n; ++i)
    ASSERT_EQ(into[i], static_cast<T>(i * 3 + static_cast<unsigned>(right())));
  world().barrier();
  piece.free();
}

TEST(Aggregate, gets_of_each_size_are_complete_whatever_their_number) {
  get_more_than_a_list<std::uint8_t>(1);
  get_more_than_a_list<std::uint16_t>(0);
  get_more_than_a_list<std::uint32_t>(3);
  get_more_than_a_list<std::uint64_t>(2);
  get_more_than_a_list<long double>(1);
}

TEST(Aggregate, gets_of_several_sizes_take_turns) {
  constexpr std::size_t n = 300;
  auto piece = Reachable<int>(n);
  for (std::size_t i = 0; i < n; ++i) piece[i] = static_cast<int>(i) + me();
  world().barrier();
  std::vector<int> into(n, -1);
  Aggregate first(right());
  Aggregate aggregate(std::move(first));
  // Lengths of 1, 2, 3 and so on, one behind the other; the last ones are too long for a list.
  for (std::size_t at = 0, count = 1; at < n; at += count, ++count)
    aggregate.get(&into[at], piece.on(right()) + static_cast<std::ptrdiff_t>(at),
                  std::min(count, n - at));
  aggregate.get(into.data() + n - 200, piece.on(right()) + static_cast<std::ptrdiff_t>(n) - 200,
                200);
  aggregate.wait();
  for (std::size_t i = 0; i < n; ++i) ASSERT_EQ(into[i], static_cast<int>(i) + right());
  world().barrier();
  piece.free();
}

TEST(Aggregate, gets_of_one_that_has_ended_are_complete_after_wait_all) {
  auto piece = Reachable<int>(10);
  std::ranges::fill(piece.local(), 5 + me());
  world().barrier();
  std::vector<int> into(10, -1);
  {
    Aggregate aggregate(right());
    for (std::ptrdiff_t i = 0; i < 10; ++i)
      aggregate.get(&into[static_cast<std::size_t>(i)], piece.on(right()) + i);
  }
  armature::wait_all();
  EXPECT_EQ(into, std::vector<int>(10, 5 + right()));
  world().barrier();
  piece.free();
}

TEST(Aggregate, a_get_from_outside_is_refused_where_it_is_made) {
  auto piece = Reachable<int>(10);
  int into = -1;
  Aggregate aggregate(right());
  aggregate.get(&into, piece.on(right()));
  const armature::global_ptr<int> outside(right(), nowhere());
  int other = -1;
  expect_error(armature::Errc::bad_address, {"get_nbi"}, [&] { aggregate.get(&other, outside); });
  aggregate.wait();
  EXPECT_EQ(into, 0);
  EXPECT_EQ(other, -1);
  world().barrier();
  piece.free();
}

/// As many puts of that type as there are in `rounds` lists, and one more, all of one variable.
template <class T>
void put_more_than_a_list(int rounds) {
  const std::size_t n = static_cast<std::size_t>(rounds) * 1024 + 1;
  auto piece = Reachable<T>(n + 1);
  world().barrier();
  Aggregate aggregate(right());
  T value{};
  for (std::size_t i = 0; i < n; ++i) {
    value = static_cast<T>(i * 3 + static_cast<unsigned>(me()) + 1);
    aggregate.put(piece.on(right()) + static_cast<std::ptrdiff_t>(i), value);
  }
  while (!aggregate.test()) continue;
  aggregate.wait();
  world().barrier();
  for (std::size_t i = 0; i < n; ++i)
    ASSERT_EQ(piece[i], static_cast<T>(i * 3 + static_cast<unsigned>(left()) + 1)) << i;
  EXPECT_EQ(piece[n], T{});
  world().barrier();
  piece.free();
}

TEST(Aggregate, puts_of_each_size_are_there_whatever_their_number) {
  put_more_than_a_list<std::uint8_t>(1);
  put_more_than_a_list<std::uint16_t>(0);
  put_more_than_a_list<std::uint32_t>(3);
  put_more_than_a_list<std::uint64_t>(2);
  put_more_than_a_list<long double>(1);
}

TEST(Aggregate, puts_of_several_sizes_take_turns) {
  constexpr std::size_t n = 300;
  auto piece = Reachable<int>(n);
  world().barrier();
  std::vector<int> source(n);
  for (std::size_t i = 0; i < n; ++i) source[i] = static_cast<int>(i) + me();
  Aggregate first(right());
  first.put(piece.on(right()), source.data(), 1);
  Aggregate aggregate(std::move(first));
  // Lengths of 1, 2, 3 and so on, one behind the other; the last one is too long for a list.
  std::size_t at = 1;
  for (std::size_t count = 1; at < n - 200; at += count, ++count)
    aggregate.put(piece.on(right()) + static_cast<std::ptrdiff_t>(at), &source[at],
                  std::min(count, n - at));
  aggregate.put(piece.on(right()) + static_cast<std::ptrdiff_t>(at),
                std::span<const int>(source).subspan(at));
  aggregate.wait();
  world().barrier();
  for (std::size_t i = 0; i < n; ++i) ASSERT_EQ(piece[i], static_cast<int>(i) + left());
  world().barrier();
  piece.free();
}

TEST(Aggregate, a_value_too_long_for_a_list_may_be_gone_when_its_put_returns) {
  struct Long {
    std::array<std::uint64_t, 2048> words;
  };
  auto piece = Reachable<Long>(2);
  world().barrier();
  Aggregate aggregate(right());
  const auto value = std::make_unique<Long>();
  for (std::size_t i = 0; i < 2; ++i) {
    value->words.fill(i + 1);
    aggregate.put(piece.on(right()) + static_cast<std::ptrdiff_t>(i), *value);
  }
  value->words.fill(0);
  aggregate.wait();
  world().barrier();
  for (std::size_t i = 0; i < 2; ++i)
    EXPECT_EQ(std::ranges::count(piece[i].words, i + 1), std::ssize(piece[i].words));
  world().barrier();
  piece.free();
}

TEST(Aggregate, puts_of_one_that_has_ended_are_there) {
  auto piece = Reachable<int>(10);
  world().barrier();
  {
    Aggregate aggregate(right());
    for (int i = 0; i < 10; ++i) aggregate.put(piece.on(right()) + i, i + me());
  }
  world().barrier();
  for (int i = 0; i < 10; ++i) EXPECT_EQ(piece[static_cast<std::size_t>(i)], i + left());
  world().barrier();
  piece.free();
}

TEST(Aggregate, a_put_to_outside_is_refused_where_it_is_made) {
  auto piece = Reachable<int>(10);
  world().barrier();
  Aggregate aggregate(right());
  aggregate.put(piece.on(right()), 7);
  const armature::global_ptr<int> outside(right(), nowhere());
  expect_error(armature::Errc::bad_address, {"put"}, [&] { aggregate.put(outside, 8); });
  aggregate.wait();
  world().barrier();
  EXPECT_EQ(piece[0], 7);
  world().barrier();
  piece.free();
}

TEST(Aggregate, requests_of_every_kind_and_size_travel_together) {
  auto ints = Reachable<int>(400);
  auto doubles = Reachable<double>(100);
  std::ranges::fill(ints.local().first(100), me());
  world().barrier();
  const std::vector<int> source(100, 5 + me());
  const std::vector<double> terms(100, 0.5);
  std::vector<int> into(100, -1);
  const int one = 77;
  Aggregate aggregate(right());
  aggregate.put(ints.on(right()) + 100, source);
  aggregate.get(into.data(), ints.on(right()), 100);
  aggregate.put(ints.on(right()) + 200, one);
  aggregate.accumulate(doubles.on(right()), terms);
  aggregate.accumulate(ints.on(right()) + 300, source.data(), std::size_t{50});
  EXPECT_EQ(aggregate.requests(), 5U);
  aggregate.wait();
  EXPECT_EQ(into, std::vector<int>(100, right()));
  world().barrier();
  EXPECT_EQ(ints[199], 5 + left());
  EXPECT_EQ(ints[200], 77);
  EXPECT_EQ(ints[349], 5 + left());
  EXPECT_EQ(ints[350], 0);
  EXPECT_EQ(doubles[99], 0.5);
  world().barrier();
  ints.free();
  doubles.free();
}

TEST(Aggregate, a_handle_can_be_used_again_after_wait) {
  auto piece = Reachable<int>(10);
  Aggregate aggregate(right());
  EXPECT_EQ(aggregate.rank(), right());
  for (int round = 1; round <= 10; ++round) {
    for (std::ptrdiff_t i = 0; i < 10; ++i) aggregate.accumulate(piece.on(right()) + i, round);
    aggregate.wait();
    EXPECT_TRUE(aggregate.test());
    EXPECT_EQ(aggregate.requests(), 0U);
  }
  world().barrier();
  EXPECT_TRUE(std::ranges::all_of(piece.local(), [](int x) { return x == 55; }));
  world().barrier();
  piece.free();
}

TEST(Aggregate, a_request_to_another_rank_is_refused) {
  if (ranks() < 2) GTEST_SKIP() << "needs 2 ranks";
  auto piece = Reachable<int>(1);
  int into = -1;
  Aggregate aggregate(right());
  const auto wrong = piece.on(me());
  using armature::Errc;
  expect_error(Errc::bad_rank, {"Aggregate::put"}, [&] { aggregate.put(wrong, 1); });
  expect_error(Errc::bad_rank, {"Aggregate::get"}, [&] { aggregate.get(&into, wrong); });
  expect_error(Errc::bad_rank, {"Aggregate::accumulate"}, [&] { aggregate.accumulate(wrong, 1); });
  aggregate.put(piece.on(right()), me() + 1);
  aggregate.wait();
  EXPECT_EQ(into, -1);
  world().barrier();
  EXPECT_EQ(piece[0], left() + 1);
  world().barrier();
  piece.free();
}

TEST(Aggregate, an_aggregate_for_a_rank_there_is_not_is_refused) {
  for (const int rank : {-1, ranks(), 1 << 30})
    expect_error(armature::Errc::bad_rank, {"Aggregate"}, [&] { Aggregate aggregate(rank); });
}

TEST(Aggregate, sections_and_pieces_travel_with_the_rest) {
  auto piece = Reachable<double>(64);
  const std::vector<double> rows{1, 2, 3, 4}, terms{10, 10, 10, 10};
  std::vector<double> back(4), picked(2);
  const std::array<std::size_t, 2> counts{16, 2};
  const std::array<std::ptrdiff_t, 1> far{80}, near{16};
  double* const there = piece.on(right()).address();
  const std::array<void*, 2> to{there + 20, there + 30}, into{&picked[0], &picked[1]};
  const std::array<const void*, 2> from{&rows[0], &rows[3]}, out{there + 20, there + 30};
  const armature::Iov scatter{to, from, 8}, gather{into, out, 8};
  Aggregate aggregate(right());
  aggregate.put_strided(piece.on(right()), rows.data(), {counts, far, near});
  aggregate.put_vector({&scatter, 1});
  aggregate.wait();  // requests of one batch are not ordered
  aggregate.accumulate_strided(piece.on(right()), terms.data(), {counts, far, near});
  aggregate.accumulate_vector<double>({&scatter, 1}, {.scale = 2.0});
  aggregate.wait();
  aggregate.get_strided(back.data(), piece.on(right()), {counts, near, far});
  aggregate.get_vector({&gather, 1});
  EXPECT_EQ(aggregate.requests(), 2U);
  aggregate.wait();
  EXPECT_EQ(back, (std::vector<double>{11, 12, 13, 14}));
  EXPECT_EQ(picked, (std::vector<double>{3, 12}));
  world().barrier();
  piece.free();
}
