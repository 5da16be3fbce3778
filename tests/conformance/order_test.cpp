#include <algorithm>
#include <atomic>

#include "conformance.hpp"

// The cells of the table in docs/guide/semantics.md that are about order and about what can be seen
// when; those about local completion are tested beside the operations, too. Order is tested by
// litmus: every rank writes a pair of places at its right neighbour again and again, and looks at
// its own pair whenever it likes. It must never see the second write of a round without the first.

using namespace conformance;
using armature::Aggregate;
using armature::get;
using armature::global_ptr;
using armature::Iov;
using armature::Strided;

namespace {

using Place = global_ptr<std::int64_t>;
using Write = void (*)(Place, std::int64_t);

constexpr std::size_t one_word[] = {8, 1};
constexpr std::ptrdiff_t any_stride[] = {8};
constexpr Strided strided_word{
    .counts = one_word, .to_strides = any_stride, .from_strides = any_stride};

// Writes that leave `round` at the place; each rank makes one each round.
void put_value(Place to, std::int64_t round) { armature::put(to, round); }
void put_block(Place to, std::int64_t round) { armature::put(to, &round, 1); }
void put_strided(Place to, std::int64_t round) { armature::put_strided(to, &round, strided_word); }
void put_vector(Place to, std::int64_t round) {
  void* target[] = {to.address()};
  const void* source[] = {&round};
  const Iov iov[] = {{.to = target, .from = source, .bytes = 8}};
  armature::put_vector(to.rank(), iov);
}
void accumulate_one(Place to, std::int64_t) { armature::accumulate(to, 1); }
void accumulate_strided_one(Place to, std::int64_t) {
  const std::int64_t one = 1;
  armature::accumulate_strided(to, &one, strided_word);
}
void fetch_add_one(Place to, std::int64_t) { armature::fetch_add(to, 1); }
void put_async_wait_fence(Place to, std::int64_t round) {
  armature::put_async(to, round).wait();
  armature::fence(to.rank());
}
void put_nbi_wait_fence(Place to, std::int64_t round) {
  armature::put_nbi(to, round);
  armature::wait_all();
  armature::fence(to.rank());
}
void aggregate_wait_fence(Place to, std::int64_t round) {
  Aggregate aggregate(to.rank());
  aggregate.put(to, round);
  aggregate.wait();
  armature::fence(to.rank());
}
void accumulate_async_wait_fence(Place to, std::int64_t) {
  armature::accumulate_async(to, 1).wait();
  armature::fence(to.rank());
}

struct Pair {
  alignas(64) std::int64_t first;
  alignas(64) std::int64_t second;
};

std::int64_t look(std::int64_t& place) {
  return watch(
      [&] { return std::atomic_ref<std::int64_t>(place).load(std::memory_order_acquire); });
}
std::int64_t look(Place place) {
  return watch([&] { return get(place); });
}

/// `second_owner` is whose second place is written: the right neighbour's own, or somebody else's.
void expect_seen_in_order(Write first, Write second, int rounds = 500) {
  auto pairs = world().allocate<Pair>(1);
  const Place to_first(right(), &pairs.on(right()).address()->first);
  const Place to_second(right(), &pairs.on(right()).address()->second);
  world().barrier();
  for (std::int64_t round = 1; round <= rounds; ++round) {
    first(to_first, round);
    second(to_second, round);
    const std::int64_t seen = look(pairs[0].second);
    ASSERT_GE(look(pairs[0].first), seen);
  }
  world().barrier();
  EXPECT_EQ(pairs[0].first, rounds);
  EXPECT_EQ(pairs[0].second, rounds);
  world().barrier();
  world().free(pairs);
}

}  // namespace

TEST(Semantics, blocking_puts_and_accumulates_to_one_rank_are_seen_in_order) {
  const Write writes[] = {put_value,  put_block,      put_strided,
                          put_vector, accumulate_one, accumulate_strided_one};
  for (const Write first : writes)
    for (const Write second : writes) expect_seen_in_order(first, second);
}

TEST(Semantics, large_blocking_puts_to_one_rank_are_seen_in_order) {
  constexpr std::size_t n = 40000;
  auto piece = world().allocate<std::int64_t>(n + 1);
  const auto to = piece.on(right());
  world().barrier();
  for (std::int64_t round = 1; round <= 100; ++round) {
    armature::put(to, std::vector<std::int64_t>(n, round));
    armature::put(to + n, round);
    const std::int64_t seen = look(piece[n]);
    for (std::size_t i = 0; i < n; i += n / 7) ASSERT_GE(look(piece[i]), seen);
  }
  world().barrier();
  world().free(piece);
}

TEST(Semantics, the_last_of_several_blocking_puts_to_one_place_stays) {
  auto piece = world().allocate<std::int64_t>(1);
  const Write writes[] = {put_value, put_block, put_strided, put_vector};
  for (std::int64_t round = 0; round < 400; ++round) writes[round % 4](piece.on(right()), round);
  armature::accumulate(piece.on(right()), 1000);
  world().barrier();
  EXPECT_EQ(piece[0], 1399);
  world().barrier();
  world().free(piece);
}

TEST(Semantics, wait_and_fence_order_non_blocking_puts) {
  for (const Write first : {put_async_wait_fence, put_nbi_wait_fence})
    for (const Write second : {put_async_wait_fence, put_nbi_wait_fence, put_value})
      expect_seen_in_order(first, second);
}

TEST(Semantics, wait_and_fence_order_non_blocking_accumulates) {
  expect_seen_in_order(accumulate_async_wait_fence, accumulate_async_wait_fence);
  expect_seen_in_order(accumulate_async_wait_fence, put_value);
}

TEST(Semantics, wait_and_fence_order_aggregates) {
  expect_seen_in_order(aggregate_wait_fence, aggregate_wait_fence);
  expect_seen_in_order(aggregate_wait_fence, put_value);
}

TEST(Semantics, atomics_of_one_rank_are_seen_in_order_with_its_puts) {
  expect_seen_in_order(fetch_add_one, fetch_add_one);
  expect_seen_in_order(put_value, fetch_add_one);
  expect_seen_in_order(put_block, fetch_add_one);
  expect_seen_in_order(fetch_add_one, put_value);
}

TEST(Semantics, a_fence_orders_puts_to_different_ranks) {
  const Write writes[] = {put_value, put_strided, put_vector, accumulate_one};
  for (const Write write : writes) {
    // I write first to my right neighbour, then to the one after it, who looks at both.
    auto pairs = world().allocate<Pair>(1);
    Pair* const beside = pairs.on(right()).address();
    Pair* const beyond = pairs.on(right(2)).address();
    Pair* const before = pairs.on(left()).address();
    world().barrier();
    for (std::int64_t round = 1; round <= often(500); ++round) {
      write({right(), &beside->first}, round);
      armature::fence(right());
      write({right(2), &beyond->second}, round);
      const std::int64_t seen = look(pairs[0].second);
      ASSERT_GE(look(Place(left(), &before->first)), seen);
    }
    world().barrier();
    world().free(pairs);
  }
}

TEST(Semantics, fence_all_orders_non_blocking_puts_to_different_ranks) {
  auto pairs = world().allocate<Pair>(1);
  world().barrier();
  for (std::int64_t round = 1; round <= 300; ++round) {
    armature::put_nbi(Place(right(), &pairs.on(right()).address()->first), round);
    Aggregate aggregate(right(2));
    armature::wait_all();
    armature::fence_all();
    aggregate.put(Place(right(2), &pairs.on(right(2)).address()->second), round);
    aggregate.wait();
    const std::int64_t seen = look(pairs[0].second);
    ASSERT_GE(look(Place(left(), &pairs.on(left()).address()->first)), seen);
  }
  world().barrier();
  world().free(pairs);
}

TEST(Semantics, a_get_sees_earlier_blocking_puts_and_accumulates_of_its_rank) {
  auto piece = world().allocate<std::int64_t>(1);
  const auto place = piece.on(right());
  for (std::int64_t round = 1; round <= often(2000); round += 4) {
    put_value(place, round);
    ASSERT_EQ(get(place), round);
    put_strided(place, round + 1);
    ASSERT_EQ(get(place), round + 1);
    put_vector(place, round + 2);
    std::int64_t seen = 0;
    get(&seen, place, 1);
    ASSERT_EQ(seen, round + 2);
    accumulate_one(place, 0);
    ASSERT_EQ(get(place), round + 3);
  }
  world().barrier();
  world().free(piece);
}

TEST(Semantics, a_get_does_not_see_later_puts) {
  auto piece = world().allocate<std::int64_t>(1000);
  for (std::int64_t round = 1; round <= 200; ++round) {
    std::vector<std::int64_t> seen(1000);
    get(seen, piece.on(right()));
    armature::put(piece.on(right()), std::vector<std::int64_t>(1000, round));
    ASSERT_TRUE(std::ranges::all_of(seen, [&](auto x) { return x == round - 1; }));
  }
  world().barrier();
  world().free(piece);
}

TEST(Semantics, a_get_after_wait_and_fence_sees_non_blocking_puts) {
  auto piece = world().allocate<std::int64_t>(1);
  const auto place = piece.on(right());
  const Write writes[] = {put_async_wait_fence, put_nbi_wait_fence, aggregate_wait_fence};
  for (std::int64_t round = 1; round <= 300; ++round) {
    writes[round % 3](place, round);
    ASSERT_EQ(get(place), round);
    accumulate_async_wait_fence(place, 0);
    ASSERT_EQ(get(place), round + 1);
  }
  world().barrier();
  world().free(piece);
}

TEST(Semantics, a_get_sees_earlier_atomics_of_its_rank) {
  auto piece = world().allocate<std::int64_t>(1);
  for (std::int64_t round = 1; round <= often(1000); ++round) {
    ASSERT_EQ(armature::fetch_add(piece.on(right()), 1), round - 1);
    ASSERT_EQ(get(piece.on(right())), round);
  }
  world().barrier();
  world().free(piece);
}

TEST(Semantics, blocking_gets_from_one_rank_are_performed_in_order) {
  auto pairs = world().allocate<Pair>(1);
  Pair* const mine = pairs.local().data();
  Pair* const theirs = pairs.on(right()).address();
  world().barrier();
  for (std::int64_t round = 1; round <= often(3000); ++round) {
    put_value({me(), &mine->first}, round);
    put_value({me(), &mine->second}, round);
    const std::int64_t second = get(Place(right(), &theirs->second));
    const std::int64_t first = get(Place(right(), &theirs->first));
    ASSERT_GE(first, second);
    const std::int64_t again = watch([&] {
      std::int64_t block = 0;
      get(&block, Place(right(), &theirs->second), 1);
      return block;
    });
    ASSERT_GE(get(Place(right(), &theirs->first)), again);
  }
  world().barrier();
  world().free(pairs);
}
