// Signals, and puts with a signal behind them, whose data are there when the signal is.
#include <algorithm>
#include <cstdint>
#include <vector>

#include "rmi.hpp"

using namespace conformance;
using armature::Comparison;
using armature::put_signal;
using armature::put_signal_async;
using armature::signal_wait_until;
using armature::SignalOperation;

namespace signal_tests {
namespace {

using Words = armature::Piece<std::uint64_t>;

/// Lengths in a packet, longer than one, in pieces.
constexpr std::size_t lengths[] = {1, 500, 1500, 10'000, 1 << 17, 1 << 19};
constexpr std::size_t longest = 1 << 19;  // 4 MiB

std::ptrdiff_t others_than(std::span<const long> numbers, long number) {
  return std::ranges::count_if(numbers, [=](long each) { return each != number; });
}

TEST(Signal, the_data_are_there_when_the_signal_is) {
  auto data = world().allocate<long>(longest);
  auto word = world().allocate<std::uint64_t>(1);
  std::uint64_t round = 0;
  for (const std::size_t length : lengths) {
    ++round;
    std::vector<long> numbers(length, static_cast<long>(length) + me());
    put_signal(data.on(right()), numbers,
               {.word = word.on(right()), .value = round, .operation = SignalOperation::set});
    std::ranges::fill(numbers, -1);  // the source may be reused
    EXPECT_EQ(signal_wait_until(&word[0], Comparison::ge, round), round);
    EXPECT_EQ(others_than(data.local().first(length), static_cast<long>(length) + left()), 0)
        << length;
    world().barrier();
  }
  world().free(word);
  world().free(data);
}

TEST(Signal, a_non_blocking_one_comes_though_nobody_waits_for_its_handle) {
  auto data = world().allocate<long>(longest);
  auto word = world().allocate<std::uint64_t>(1);
  std::uint64_t round = 0;
  for (const std::size_t length : lengths) {
    const std::vector<long> numbers(length, 2 * static_cast<long>(length) + me());
    armature::Handle put = put_signal_async(data.on(right()), numbers, {word.on(right())});
    EXPECT_EQ(signal_wait_until(&word[0], Comparison::eq, ++round), round);
    EXPECT_EQ(others_than(data.local().first(length), 2 * static_cast<long>(length) + left()), 0)
        << length;
    put.wait();
    world().barrier();
  }
  world().free(word);
  world().free(data);
}

TEST(Signal, neighbours_exchange_a_row_in_each_step) {
  auto rows = world().allocate<double>(2 * 1000);
  auto come = world().allocate<std::uint64_t>(1);  // how many rows
  std::vector<double> mine(1000, me());
  const int steps = often(50);
  for (int step = 0; step < steps; ++step) {
    const auto half = 1000 * (step % 2);
    armature::put_signal(rows.on(right()) + half, mine, {come.on(right())});
    armature::signal_wait_until(&come[0], armature::Comparison::gt, step);
    mine.assign(rows.local().begin() + half, rows.local().begin() + half + 1000);
    ASSERT_EQ(mine[999], left(step + 1));
    world().barrier();
  }
  world().free(come);
  world().free(rows);
}

TEST(Signal, several_non_blocking_ones_each_come_behind_their_own_data) {
  constexpr std::size_t times = 8;
  const std::size_t length = longest / times;
  auto data = world().allocate<long>(longest);
  auto words = world().allocate<std::uint64_t>(times);
  std::vector<std::vector<long>> numbers;
  std::vector<armature::Handle> puts;
  for (std::size_t i = 0; i < times; ++i) {
    const auto at = static_cast<std::ptrdiff_t>(i);
    numbers.emplace_back(i % 2 == 0 ? length : 10, static_cast<long>(i) + 1);
    puts.push_back(put_signal_async(data.on(right()) + at * static_cast<std::ptrdiff_t>(length),
                                    numbers.back(), {words.on(right()) + at}));
  }
  std::vector<int> left_out(times, 0);
  for (std::size_t i = 0; i < times; ++i) {
    const std::size_t come = armature::wait_until_any(words.local(), Comparison::eq, 1U, left_out);
    left_out[come] = 1;
    const auto here = data.local().subspan(come * length, come % 2 == 0 ? length : 10);
    EXPECT_EQ(others_than(here, static_cast<long>(come) + 1), 0) << come;
  }
  armature::wait_all(puts);
  world().barrier();
  world().free(words);
  world().free(data);
}

TEST(Signal, signals_of_all_ranks_add_up) {
  auto word = world().allocate<std::uint64_t>(1);
  const int times = often(500);
  for (int i = 0; i < times; ++i)
    for (int rank = 0; rank < ranks(); ++rank) armature::signal_add(word.on(rank), 1);
  const auto all = static_cast<std::uint64_t>(times * ranks());
  EXPECT_EQ(signal_wait_until(&word[0], Comparison::ge, all), all);
  EXPECT_EQ(armature::signal_fetch(&word[0]), all);
  world().barrier();
  armature::signal_set(word.on(right()), 3);
  EXPECT_EQ(signal_wait_until(&word[0], Comparison::lt, all), 3U);
  world().barrier();
  world().free(word);
}

TEST(Signal, blocking_ones_to_one_rank_are_seen_in_order) {
  const auto times = static_cast<std::uint64_t>(often(1000));
  auto data = world().allocate<std::uint64_t>(times);
  auto word = world().allocate<std::uint64_t>(1);
  std::uint64_t seen = 0;
  const auto look_up_to = [&](std::uint64_t now) {
    EXPECT_LE(seen, now);
    for (; seen < now; ++seen)
      EXPECT_EQ(watch([&] { return __atomic_load_n(&data[seen], __ATOMIC_RELAXED); }), seen + 1);
  };
  for (std::uint64_t i = 0; i < times; ++i) {
    const auto at = static_cast<std::ptrdiff_t>(i);
    const std::uint64_t number = i + 1;
    if (i % 2 == 0) {
      put_signal(data.on(right()) + at, &number, 1,
                 {word.on(right()), number, SignalOperation::set});
    } else {
      armature::put(data.on(right()) + at, number);
      armature::signal_set(word.on(right()), number);
    }
    look_up_to(armature::signal_fetch(&word[0]));
  }
  while (seen < times) look_up_to(signal_wait_until(&word[0], Comparison::gt, seen));
  world().barrier();
  world().free(word);
  world().free(data);
}

TEST(Signal, who_waits_long_enough_to_sleep_is_woken) {
  auto word = world().allocate<std::uint64_t>(1);
  if (me() == 0) {
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    for (int rank = 0; rank < ranks(); ++rank) armature::signal_add(word.on(rank), 1);
  }
  EXPECT_EQ(signal_wait_until(&word[0], Comparison::ne, 0), 1U);
  world().barrier();
  world().free(word);
}

TEST(Signal, a_put_of_nothing_is_its_signal) {
  auto word = world().allocate<std::uint64_t>(1);
  put_signal(armature::global_ptr<long>(right(), nullptr), nullptr, 0, {word.on(right()), 4});
  EXPECT_EQ(signal_wait_until(&word[0], Comparison::ne, 0), 4U);
  world().barrier();
  world().free(word);
}

TEST(Signal, a_fence_covers_the_data_and_the_word) {
  auto data = world().allocate<long>(longest);
  auto word = world().allocate<std::uint64_t>(1);
  for (const std::size_t length : lengths) {
    const std::vector<long> numbers(length, static_cast<long>(length));
    put_signal(data.on(right()), numbers, {word.on(right())});
    armature::fence(right());
    // Somebody else may tell now.
    world().barrier();
    EXPECT_EQ(others_than(data.local().first(length), static_cast<long>(length)), 0);
    EXPECT_EQ(armature::signal_fetch(&word[0]),
              1U + static_cast<std::uint64_t>(std::ranges::find(lengths, length) - lengths));
    world().barrier();
  }
  world().free(word);
  world().free(data);
}

TEST(Signal, a_get_sees_a_blocking_signal_before_it) {
  auto data = world().allocate<long>(1);
  auto word = world().allocate<std::uint64_t>(1);
  const long number = 5;
  put_signal(data.on(right()), &number, 1, {word.on(right())});
  armature::signal_add(word.on(right()), 6);
  EXPECT_EQ(armature::get(word.on(right())), 7U);
  EXPECT_EQ(armature::get(data.on(right())), 5);
  world().barrier();
  world().free(word);
  world().free(data);
}

TEST(Signal, words_that_cannot_be_are_errors_and_nothing_is_put) {
  using armature::Errc;
  auto data = world().allocate<long>(2);
  auto words = world().allocate<std::uint64_t>(2);
  const long number = 1;
  const armature::global_ptr<std::uint64_t> crooked(
      right(), reinterpret_cast<std::uint64_t*>(
                   reinterpret_cast<std::uintptr_t>(words.on(right()).address()) + 4));
  const armature::global_ptr<std::uint64_t> nowhere(right(), nullptr);
  expect_error(Errc::bad_address, {"put_signal", "multiple"},
               [&] { put_signal(data.on(right()), &number, 1, {crooked}); });
  expect_error(Errc::bad_address, {"put_signal_async"},
               [&] { (void)put_signal_async(data.on(right()), &number, 1, {nowhere}); });
  expect_error(Errc::bad_address, {"signal_set"}, [&] { armature::signal_set(nowhere, 1); });
  expect_error(Errc::bad_rank, {"signal_add"}, [&] {
    armature::signal_add({armature::Rank(ranks()), words.on(me()).address()}, 1);
  });
  if (ranks() > 1) {
    expect_error(Errc::bad_rank, {"put_signal", "the signal word is rank"},
                 [&] { put_signal(data.on(right()), &number, 1, {words.on(me())}); });
  }
  world().barrier();
  EXPECT_EQ(data[0], 0);
  world().barrier();
  world().free(words);
  world().free(data);
}

}  // namespace
}  // namespace signal_tests
