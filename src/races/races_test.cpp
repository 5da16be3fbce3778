#include "races/races.hpp"

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "armature/error.hpp"
#include "races/clocks.hpp"
#include "races/shadow.hpp"

namespace armature::races {
namespace {

using testing::AllOf;
using testing::HasSubstr;

/// Three ranks and their memory, in a runtime of its own.
class Races : public testing::Test {
 protected:
  static constexpr std::uint32_t ranks = 3;
  Races() {
    prepare(memory_.get(), ranks);
    for (int rank = 0; rank < static_cast<int>(ranks); ++rank) open(memory_.get(), rank);
  }

  static Access put(const void* begin, std::size_t bytes) {
    return {.target = 1, .begin = begin, .bytes = bytes, .kind = Kind::write, .call = "put"};
  }
  static Access get(const void* begin, std::size_t bytes) {
    return {.target = 1, .begin = begin, .bytes = bytes, .kind = Kind::read, .call = "get"};
  }
  static Access atomic(const void* word) {
    return {.target = 1, .begin = word, .bytes = 8, .kind = Kind::atomic, .call = "fetch_add"};
  }
  static bool is_refused(int me, const Access& what) {
    try {
      (void)access(me, what);
      return false;
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), Errc::misuse);
      return true;
    }
  }
  /// All ranks are in one round of a team.
  void barrier(bool completes_puts = true) {
    ++round_;
    const std::vector<std::int32_t> all = {0, 1, 2};
    for (const int rank : all) enter(rank, 0, round_, completes_puts);
    for (const int rank : all) leave(rank, 0, round_, all);
  }

  base::Runtime runtime_;
  base::UseRuntime use_{runtime_};
  struct Free {
    void operator()(void* memory) const { std::free(memory); }
  };
  std::unique_ptr<void, Free> memory_{std::calloc(1, Region::bytes(ranks))};
  std::uint64_t round_ = 0;
  alignas(64) char bytes_[1 << 20] = {};
};

TEST_F(Races, two_puts_of_two_ranks_are_refused_and_both_named) {
  (void)access(0, put(bytes_, 16));
  try {
    (void)access(2, put(bytes_ + 8, 16));
    FAIL();
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), AllOf(HasSubstr("put: unordered accesses: 16 bytes at"),
                                    HasSubstr("a put of rank 0"), HasSubstr("{at 2:")));
  }
  EXPECT_FALSE(is_refused(2, put(bytes_ + 16, 8)));
}
TEST_F(Races, two_puts_of_one_word_are_refused) {
  (void)access(0, put(bytes_, 8));
  EXPECT_TRUE(is_refused(2, put(bytes_, 8)));
}
TEST_F(Races, a_put_and_a_get_of_one_aligned_word_are_right) {
  for (const std::size_t bytes : {1u, 2u, 4u, 8u}) {
    (void)access(0, put(bytes_, bytes));
    EXPECT_FALSE(is_refused(2, get(bytes_, bytes)));
    barrier();
    (void)access(0, get(bytes_, bytes));
    EXPECT_FALSE(is_refused(2, put(bytes_, bytes)));
    barrier();
  }
  (void)access(0, put(bytes_, 8));
  EXPECT_FALSE(is_refused(2, get(bytes_ + 4, 4)));
}
TEST_F(Races, bytes_that_do_not_move_as_one_are_refused) {
  (void)access(0, put(bytes_, 8));
  EXPECT_TRUE(is_refused(2, get(bytes_, 16)));
  EXPECT_TRUE(is_refused(2, get(bytes_ + 4, 8)));
  EXPECT_TRUE(is_refused(2, get(bytes_, 3)));
  (void)access(0, put(bytes_ + 60, 8));
  (void)access(0, put(bytes_ + 128, 16));
  EXPECT_TRUE(is_refused(2, get(bytes_ + 60, 4)));
  EXPECT_TRUE(is_refused(2, get(bytes_ + 128, 8)));
}
TEST_F(Races, a_put_and_a_get_of_one_word_are_refused_where_the_order_is_strict) {
  order_strictly();
  (void)access(0, put(bytes_, 8));
  EXPECT_TRUE(is_refused(2, get(bytes_, 8)));
}
TEST_F(Races, who_gets_a_word_hears_of_the_puts_before_it) {
  (void)access(0, put(bytes_, 512));
  EXPECT_FALSE(is_refused(1, get(bytes_ + 1024, 8)));
  EXPECT_TRUE(is_refused(1, get(bytes_, 512)));  // the word was not there yet
  (void)access(0, put(bytes_ + 1024, 8));
  EXPECT_FALSE(is_refused(1, get(bytes_ + 1024, 8)));
  EXPECT_FALSE(is_refused(1, get(bytes_, 512)));
  EXPECT_FALSE(is_refused(1, put(bytes_ + 1024, 8)));
  EXPECT_TRUE(is_refused(2, get(bytes_, 512)));
}
TEST_F(Races, who_gets_a_word_hears_of_what_was_put_during_the_get) {
  const Access flag = get(bytes_ + 1024, 8), count = atomic(bytes_ + 2048);
  (void)access(1, flag);
  (void)access(2, count);
  (void)access(0, put(bytes_, 512));
  (void)access(0, put(bytes_ + 1024, 8));
  (void)access(0, atomic(bytes_ + 2048));
  has_seen(1, flag);
  EXPECT_FALSE(is_refused(1, get(bytes_, 512)));
  EXPECT_TRUE(is_refused(2, get(bytes_, 512)));
  has_seen(2, count);
  EXPECT_FALSE(is_refused(2, get(bytes_, 512)));
}
TEST_F(Races, a_word_at_another_rank_tells_of_no_put_that_was_not_fenced) {
  Access other = put(bytes_ + 1024, 8);
  other.target = 2;
  (void)access(0, put(bytes_, 512));
  (void)access(0, other);
  EXPECT_FALSE(is_refused(2, get(bytes_ + 1024, 8)));
  EXPECT_TRUE(is_refused(2, get(bytes_, 512)));
}
TEST_F(Races, a_process_that_a_rank_comes_to_later_looks_too) {
  Region& all = *region();
  base::Runtime later;
  const base::UseRuntime use(later);
  EXPECT_FALSE(looks());
  look_in(all);
  EXPECT_TRUE(looks());
  (void)access(0, put(bytes_, 512));
  EXPECT_TRUE(is_refused(1, get(bytes_, 512)));
}
TEST_F(Races, where_it_was_ended_nobody_looks_and_no_process_begins_to) {
  Region& all = *region();
  (void)access(0, put(bytes_, 512));
  close();
  EXPECT_FALSE(is_refused(1, get(bytes_, 512)));
  look_in(all);
  EXPECT_FALSE(looks());
}
TEST_F(Races, who_finds_it_locked_for_long_says_so_once_and_nobody_looks_any_more) {
  (void)access(0, put(bytes_, 512));
  ASSERT_TRUE(region()->mutex.try_lock());
  testing::internal::CaptureStderr();
  EXPECT_FALSE(is_refused(1, get(bytes_, 512)));
  fence(0, 1);
  region()->mutex.unlock();
  EXPECT_FALSE(is_refused(1, get(bytes_, 512)));
  const std::string said = testing::internal::GetCapturedStderr();
  EXPECT_THAT(said, HasSubstr("nobody looks for unordered accesses from now on"));
  EXPECT_EQ(std::ranges::count(said, '\n'), 1);
}
TEST_F(Races, a_barrier_orders_and_completes) {
  (void)access(0, put(bytes_, 16));
  barrier();
  EXPECT_FALSE(is_refused(2, get(bytes_, 16)));
}
TEST_F(Races, a_collective_that_completes_nothing_leaves_a_put_open) {
  (void)access(0, put(bytes_, 16));
  barrier(false);
  EXPECT_TRUE(is_refused(2, get(bytes_, 16)));
  fence(0, 1);
  EXPECT_TRUE(is_refused(2, get(bytes_, 16)));  // it has not heard of the fence
  barrier(false);
  EXPECT_FALSE(is_refused(2, get(bytes_, 16)));
}
TEST_F(Races, a_fence_of_another_target_completes_nothing) {
  (void)access(0, put(bytes_, 16));
  fence(0, 2);
  barrier(false);
  EXPECT_TRUE(is_refused(2, get(bytes_, 16)));
}
TEST_F(Races, what_was_read_may_be_written_behind_a_message) {
  (void)access(0, get(bytes_, 16));
  EXPECT_TRUE(is_refused(2, put(bytes_, 16)));
  hear_from(2, 0);
  EXPECT_FALSE(is_refused(2, put(bytes_, 16)));
}
TEST_F(Races, a_message_tells_nothing_of_what_comes_after_it) {
  hear_from(2, 0);
  (void)access(0, get(bytes_, 16));
  EXPECT_TRUE(is_refused(2, put(bytes_, 16)));
}
TEST_F(Races, a_word_tells_of_the_puts_before_it) {
  order_strictly();
  (void)access(0, put(bytes_, 64));
  fence(0, 1);
  (void)access(0, put(bytes_ + 128, 8));
  hear_of(1, bytes_ + 128, 8);
  EXPECT_FALSE(is_refused(1, get(bytes_, 64)));
  EXPECT_TRUE(is_refused(2, get(bytes_, 64)));
}
TEST_F(Races, a_word_that_was_waited_for_may_be_read_and_written_by_who_has_waited) {
  for (const bool is_later : {false, true}) {
    Access word = put(bytes_, 8);
    word.is_later = is_later;
    (void)access(0, word);
    EXPECT_TRUE(is_refused(1, put(bytes_, 8)));
    hear_of(1, bytes_, 8);
    EXPECT_FALSE(is_refused(1, put(bytes_, 8)));
    EXPECT_FALSE(is_refused(1, get(bytes_, 8)));
    EXPECT_TRUE(is_refused(2, put(bytes_, 8)));
    barrier();
  }
}
TEST_F(Races, a_word_without_a_fence_tells_of_nothing_where_the_order_is_strict) {
  order_strictly();
  (void)access(0, put(bytes_, 64));
  (void)access(0, put(bytes_ + 128, 8));
  hear_of(1, bytes_ + 128, 8);
  EXPECT_TRUE(is_refused(1, get(bytes_, 64)));
}
TEST_F(Races, a_word_without_a_fence_tells_of_puts_to_its_rank_elsewhere) {
  (void)access(0, put(bytes_, 64));
  (void)access(0, put(bytes_ + 128, 8));
  hear_of(1, bytes_ + 128, 8);
  EXPECT_FALSE(is_refused(1, get(bytes_, 64)));
}
TEST_F(Races, atomics_are_ordered_with_each_other_and_with_no_put) {
  (void)access(0, atomic(bytes_));
  EXPECT_FALSE(is_refused(2, atomic(bytes_)));
  EXPECT_FALSE(is_refused(1, get(bytes_, 8)));
  EXPECT_FALSE(is_refused(1, put(bytes_, 8)));  // it has seen the word
  EXPECT_TRUE(is_refused(2, atomic(bytes_)));
}
TEST_F(Races, a_later_put_is_complete_when_it_was_awaited_and_fenced) {
  Access later = put(bytes_, 16);
  later.is_later = true;
  const std::uint32_t number = access(0, later);
  fence(0, -1);
  barrier();
  EXPECT_TRUE(is_refused(2, get(bytes_, 16)));
  EXPECT_TRUE(is_refused(0, get(bytes_, 16)));
  awaited(0, number);
  EXPECT_FALSE(is_refused(0, get(bytes_, 16)));
  barrier();
  EXPECT_FALSE(is_refused(2, get(bytes_, 16)));
}
TEST_F(Races, long_accesses_and_short_ones_meet) {
  (void)access(0, put(bytes_, sizeof bytes_));
  EXPECT_TRUE(is_refused(2, get(bytes_ + sizeof bytes_ - 1, 1)));
  barrier();
  (void)access(2, get(bytes_ + 70'000, 4));
  EXPECT_TRUE(is_refused(0, put(bytes_, sizeof bytes_)));
}
TEST_F(Races, what_is_forgotten_is_missed_and_nothing_is_made_up) {
  // More accesses of one bucket than it has room for, each of which tells.
  for (int i = 0; i < 32; ++i) (void)access(0, put(bytes_ + 16 * i, 16));
  fence(0, 1);
  hear_of(1, bytes_ + 256, 8);
  for (int i = 0; i < 32; ++i) EXPECT_FALSE(is_refused(1, get(bytes_ + 16 * i, 16)));
}
TEST_F(Races, variables_are_known_by_either_place) {
  char own[64] = {};
  add_variables(own, sizeof own, bytes_);
  (void)access(0, put(bytes_ + 8, 16));
  EXPECT_TRUE(is_refused(1, get(own + 8, 16)));
}

}  // namespace
}  // namespace armature::races
