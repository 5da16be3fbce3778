#include "rmi/stream.hpp"

#include <gtest/gtest.h>

namespace armature::rmi {
namespace {

/// Of so many looks that found so many statements each, after how many the reader should lag.
int lags(Stream& stream, int looks, std::uint64_t statements) {
  int count = 0;
  bool lagged = false;
  for (int i = 0; i < looks; ++i) {
    lagged = stream.lag_ns(statements, lagged) != 0;
    count += lagged ? 1 : 0;
  }
  return count;
}

TEST(StreamTest, a_stream_is_recognised_and_kept) {
  Stream stream;
  EXPECT_EQ(lags(stream, 4, 3), 0) << "not at once";
  EXPECT_EQ(lags(stream, 1, 3), 1) << "a trial";
  EXPECT_EQ(lags(stream, 100, 100), 100) << "which was worth it";
}

TEST(StreamTest, messages_to_and_fro_are_seldom_delayed) {
  Stream stream;
  EXPECT_LE(lags(stream, 10'000, 1), 20);
}

TEST(StreamTest, a_stream_that_ends_is_let_go_and_found_again) {
  Stream stream;
  (void)lags(stream, 10'000, 1);
  EXPECT_GE(lags(stream, 2'000, 100), 900) << "once tried";
  EXPECT_LE(lags(stream, 16, 1), 1);
}

TEST(StreamTest, a_pause_does_not_end_a_stream) {
  Stream stream;
  ASSERT_EQ(lags(stream, 5, 100), 1);
  EXPECT_GT(stream.lag_ns(1, false), 0U) << "found without having lagged: that says nothing";
  EXPECT_EQ(stream.lag_ns(1, true), 0U);
}

TEST(StreamTest, the_longer_it_goes_on_the_longer_the_lag_until_somebody_asks) {
  Stream stream;
  ASSERT_EQ(lags(stream, 4, 100), 0);
  const std::uint32_t first = stream.lag_ns(100, false);
  EXPECT_EQ(stream.lag_ns(100, true), 2 * first);
  for (int i = 0; i < 10; ++i) (void)stream.lag_ns(100, true);
  EXPECT_EQ(stream.lag_ns(100, true), 4 * first) << "but not for ever";
  stream.was_asked(false);
  EXPECT_EQ(stream.lag_ns(100, false), first);
  stream.was_asked(true);
  EXPECT_EQ(stream.lag_ns(100, false), 0U) << "the lag kept somebody waiting";
}

TEST(StreamTest, statements_with_a_question_behind_each_are_seldom_delayed) {
  Stream stream;
  ASSERT_GE(lags(stream, 100, 100), 90) << "after a stream";
  bool lagged = true;
  int delayed = 0;
  for (int i = 0; i < 1000; ++i) {
    const bool lags_now = stream.lag_ns(1, lagged) != 0;
    delayed += lags_now ? 1 : 0;
    stream.was_asked(lags_now);
    lagged = false;
  }
  EXPECT_LE(delayed, 20);
}

}  // namespace
}  // namespace armature::rmi
