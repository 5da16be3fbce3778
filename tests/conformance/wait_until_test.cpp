// Waiting for values of words that other ranks change.
#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <limits>
#include <numeric>
#include <vector>

#include "rmi.hpp"

using namespace conformance;
using armature::Comparison;
using armature::wait_until;

namespace wait_until_tests {
namespace {

constexpr Comparison all_comparisons[] = {Comparison::eq, Comparison::ne, Comparison::gt,
                                          Comparison::ge, Comparison::lt, Comparison::le};

template <class T>
bool compared(T word, Comparison comparison, T value) {
  switch (comparison) {
    case Comparison::eq:
      return word == value;
    case Comparison::ne:
      return word != value;
    case Comparison::gt:
      return word > value;
    case Comparison::ge:
      return word >= value;
    case Comparison::lt:
      return word < value;
    case Comparison::le:
      return word <= value;
  }
  return false;
}

template <class T>
class WaitUntilTypes : public testing::Test {};
using Types = testing::Types<std::int32_t, std::uint32_t, std::int64_t, std::uint64_t>;
TYPED_TEST_SUITE(WaitUntilTypes, Types);

RANKS_TYPED_TEST(WaitUntilTypes, each_comparison_is_that_of_the_type) {
  using T = TypeParam;
  const std::array<T, 4> values = {T(0), T(1), static_cast<T>(-1), std::numeric_limits<T>::max()};
  for (const T word : values)
    for (const T value : values)
      for (const Comparison comparison : all_comparisons) {
        const bool holds = compared(word, comparison, value);
        EXPECT_EQ(armature::test(&word, comparison, value), holds);
        const std::array<T, 1> words = {word};
        const std::array<T, 1> each = {value};
        EXPECT_EQ(armature::test_all(words, comparison, value), holds);
        EXPECT_EQ(armature::test_all(words, comparison, each), holds);
        EXPECT_EQ(armature::test_any(words, comparison, value), holds ? 0U : 1U);
        if (holds) EXPECT_EQ(wait_until(&word, comparison, value), word);
      }
}

TEST(WaitUntil, what_was_put_before_the_word_is_there) {
  auto data = world().allocate<long>(1000);
  auto words = world().allocate<long>(2);  // what has come; what the right one has read
  const int rounds = often(200);
  for (long round = 1; round <= rounds; ++round) {
    armature::put(data.on(right()), std::vector<long>(1000, round));
    armature::put(words.on(right()), round);
    EXPECT_EQ(wait_until(&words[0], Comparison::ge, round), round);
    for (const std::size_t i : {0U, 500U, 999U}) ASSERT_EQ(data[i], round);
    armature::put(words.on(left()) + 1, round);
    wait_until(&words[1], Comparison::ge, round);
  }
  world().free(words);
  world().free(data);
}

TEST(WaitUntil, who_waits_long_enough_to_sleep_sees_puts_and_atomics) {
  auto words = world().allocate<std::int32_t>(2);
  if (me() == 0) {
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    for (int rank = 0; rank < ranks(); ++rank) armature::put(words.on(rank), 7);
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    for (int rank = 0; rank < ranks(); ++rank) (void)armature::fetch_add(words.on(rank) + 1, -2);
  }
  EXPECT_EQ(wait_until(&words[0], Comparison::ne, 0), 7);
  EXPECT_EQ(wait_until(&words[1], Comparison::lt, 0), -2);
  world().barrier();
  world().free(words);
}

TEST(WaitUntil, any_finds_every_word_once_when_what_it_found_is_left_out) {
  auto words = world().allocate<std::uint32_t>(static_cast<std::size_t>(ranks()));
  for (int i = 0; i < ranks(); ++i) armature::put(words.on(right(i)) + me(), 5U);
  std::vector<int> left_out(static_cast<std::size_t>(ranks()), 0);
  for (int i = 0; i < ranks(); ++i) {
    const std::size_t found = armature::wait_until_any(words.local(), Comparison::eq, 5U, left_out);
    ASSERT_LT(found, left_out.size());
    EXPECT_EQ(left_out[found], 0);
    left_out[found] = 1;
  }
  EXPECT_EQ(armature::wait_until_any(words.local(), Comparison::eq, 5U, left_out), left_out.size());
  world().barrier();
  world().free(words);
}

TEST(WaitUntil, any_passes_no_word_over_for_ever) {
  const std::vector<long> words(10, 1), others(2, 1);
  std::vector<int> found(words.size(), 0), found_there(others.size(), 0);
  for (std::size_t i = 0; i < 8 * words.size(); ++i) {
    ++found[armature::wait_until_any(words, Comparison::eq, 1)];
    ++found_there[armature::test_any(others, Comparison::eq, 1)];
  }
  EXPECT_GT(std::ranges::min(found), 0);
  EXPECT_GT(std::ranges::min(found_there), 0);
}

TEST(WaitUntil, some_finds_all_that_hold_and_no_other) {
  auto words = world().allocate<long>(6);
  if (me() == 0)
    for (int rank = 0; rank < ranks(); ++rank) {
      armature::put(words.on(rank), std::vector<long>{9, 0, 9, 9, 0});
      armature::put(words.on(rank) + 5, 9L);
    }
  wait_until(&words[5], Comparison::eq, 9);
  world().barrier();
  const std::vector<int> left_out = {0, 0, 1, 0, 0, 0};
  std::vector<std::size_t> indices(6, 100);
  EXPECT_EQ(armature::wait_until_some(words.local(), indices, Comparison::eq, 9, left_out), 3U);
  EXPECT_EQ(indices, (std::vector<std::size_t>{0, 3, 5, 100, 100, 100}));
  EXPECT_EQ(armature::test_some(words.local(), indices, Comparison::lt, 9), 2U);
  EXPECT_EQ(indices[0], 1U);
  EXPECT_EQ(indices[1], 4U);
  EXPECT_EQ(armature::test_some(words.local(), indices, Comparison::gt, 9), 0U);
  world().barrier();
  world().free(words);
}

TEST(WaitUntil, all_waits_for_each_word_and_its_own_value) {
  const auto count = static_cast<std::size_t>(ranks());
  auto words = world().allocate<std::uint64_t>(count + 1);
  std::vector<std::uint64_t> values(count + 1, 1);
  std::iota(values.begin(), values.end() - 1, 100);
  std::vector<int> left_out(count + 1, 0);
  left_out[count] = 1;  // nobody writes the last one
  for (int i = 0; i < ranks(); ++i)
    armature::put(words.on(right(i)) + me(), static_cast<std::uint64_t>(100 + me()));
  armature::wait_until_all(words.local(), Comparison::eq, values, left_out);
  EXPECT_TRUE(armature::test_all(words.local(), Comparison::ge, values, left_out));
  EXPECT_FALSE(armature::test_all(words.local(), Comparison::ge, values));
  EXPECT_TRUE(std::equal(values.begin(), values.end() - 1, words.local().begin()));
  world().barrier();
  world().free(words);
}

TEST(WaitUntil, where_no_word_is_left_nothing_is_waited_for) {
  const std::vector<long> none, words(3, 0);
  const std::vector<int> left_out(3, 1);
  std::vector<std::size_t> indices(3);
  EXPECT_EQ(armature::wait_until_any(none, Comparison::eq, 1), 0U);
  EXPECT_EQ(armature::wait_until_any(words, Comparison::eq, 1, left_out), 3U);
  EXPECT_EQ(armature::wait_until_some(none, indices, Comparison::eq, 1), 0U);
  EXPECT_EQ(armature::wait_until_some(words, indices, Comparison::eq, 1, left_out), 0U);
  armature::wait_until_all(none, Comparison::eq, 1);
  armature::wait_until_all(words, Comparison::eq, 1, left_out);
  EXPECT_EQ(armature::test_any(words, Comparison::eq, 0, left_out), 3U);
  EXPECT_EQ(armature::test_some(words, indices, Comparison::eq, 0, left_out), 0U);
  EXPECT_TRUE(armature::test_all(none, Comparison::eq, 1));
  EXPECT_TRUE(armature::test_all(words, Comparison::eq, 1, left_out));
}

void set_own(armature::global_ptr<long> word, long value) {
  __atomic_store_n(word.direct(), value, __ATOMIC_RELEASE);
}

RMI_TEST(WaitUntil, calls_are_executed_meanwhile) {
  auto word = world().allocate<long>(1);
  armature::async(right(), set_own, word.on(right()), 3L);
  EXPECT_EQ(wait_until(&word[0], Comparison::eq, 3), 3);
  world().barrier();
  world().free(word);
}

RMI_TEST(WaitUntil, a_loop_that_tests_lets_others_run_and_executes_calls) {
  auto word = world().allocate<long>(1);
  armature::async(right(), set_own, word.on(right()), 3L);
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(20);
  while (!armature::test(&word[0], Comparison::eq, 3) && std::chrono::steady_clock::now() < end) {
  }
  EXPECT_EQ(word[0], 3) << "it has executed no call for 20 s";
  world().barrier();
  world().free(word);
}

TEST(WaitUntil, a_thread_of_a_rank_may_wait) {
  if (armature::rank_kind() != armature::RankKind::process) GTEST_SKIP() << "needs process ranks";
  auto word = world().allocate<long>(1);
  long seen = 0;
  std::thread waiting([&] { seen = wait_until(&word[0], Comparison::gt, 1); });
  armature::put(word.on(right()), 2L);
  waiting.join();
  EXPECT_EQ(seen, 2);
  world().barrier();
  world().free(word);
}

TEST(WaitUntil, words_and_lengths_that_cannot_be_are_errors) {
  using armature::Errc;
  alignas(8) const std::array<std::byte, 16> bytes{};
  const auto* const crooked = reinterpret_cast<const long*>(bytes.data() + 4);
  expect_error(Errc::bad_address, {"wait_until"}, [&] { wait_until(crooked, Comparison::eq, 0); });
  expect_error(Errc::bad_address, {"test"},
               [] { (void)armature::test(static_cast<const int*>(nullptr), Comparison::eq, 0); });
  const std::vector<long> words(3, 0), values(2, 0);
  const std::vector<int> left_out(4, 0);
  std::vector<std::size_t> indices(2);
  expect_error(Errc::bad_argument, {"wait_until_all", "2 values"},
               [&] { armature::wait_until_all(words, Comparison::eq, values); });
  expect_error(Errc::bad_argument, {"wait_until_any", "4 entries"},
               [&] { armature::wait_until_any(words, Comparison::eq, 0, left_out); });
  expect_error(Errc::bad_argument, {"wait_until_some", "2 indices"},
               [&] { armature::wait_until_some(words, indices, Comparison::eq, 0); });
}

}  // namespace
}  // namespace wait_until_tests
