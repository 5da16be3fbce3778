#include "rmi/adaptive_polling.hpp"

#include <gtest/gtest.h>

namespace armature::rmi {
namespace {

/// Counts after how many of so many looks, which found so many requests each, the reader should
/// lag.
int lags(AdaptivePolling& polling, int looks, std::uint64_t requests) {
  int count = 0;
  bool lagged = false;
  for (int i = 0; i < looks; ++i) {
    lagged = polling.lag_ns(requests, lagged) != 0;
    count += lagged ? 1 : 0;
  }
  return count;
}

TEST(AdaptivePollingTest, a_stream_is_recognised_and_kept) {
  AdaptivePolling polling;
  EXPECT_EQ(lags(polling, 4, 3), 0) << "not at once";
  EXPECT_EQ(lags(polling, 1, 3), 1) << "a trial";
  EXPECT_EQ(lags(polling, 100, 100), 100) << "which was worth it";
}

TEST(AdaptivePollingTest, messages_to_and_fro_are_seldom_delayed) {
  AdaptivePolling polling;
  EXPECT_LE(lags(polling, 10'000, 1), 20);
}

TEST(AdaptivePollingTest, a_stream_that_ends_is_let_go_and_found_again) {
  AdaptivePolling polling;
  (void)lags(polling, 10'000, 1);
  EXPECT_GE(lags(polling, 2'000, 100), 900) << "once tried";
  EXPECT_LE(lags(polling, 16, 1), 1);
}

TEST(AdaptivePollingTest, a_pause_does_not_end_a_stream) {
  AdaptivePolling polling;
  ASSERT_EQ(lags(polling, 5, 100), 1);
  EXPECT_GT(polling.lag_ns(1, false), 0U) << "found without having lagged: that says nothing";
  EXPECT_EQ(polling.lag_ns(1, true), 0U);
}

TEST(AdaptivePollingTest, the_longer_it_goes_on_the_longer_the_lag_until_somebody_waits) {
  AdaptivePolling polling;
  ASSERT_EQ(lags(polling, 4, 100), 0);
  const std::uint32_t first = polling.lag_ns(100, false);
  EXPECT_EQ(polling.lag_ns(100, true), 2 * first);
  for (int i = 0; i < 10; ++i) (void)polling.lag_ns(100, true);
  EXPECT_EQ(polling.lag_ns(100, true), 4 * first) << "but not for ever";
  polling.found_waiting_sender(false);
  EXPECT_EQ(polling.lag_ns(100, false), first);
  polling.found_waiting_sender(true);
  EXPECT_EQ(polling.lag_ns(100, false), 0U) << "the lag kept somebody waiting";
}

TEST(AdaptivePollingTest, one_way_calls_with_a_two_way_call_behind_each_are_seldom_delayed) {
  AdaptivePolling polling;
  ASSERT_GE(lags(polling, 100, 100), 90) << "after a stream";
  bool lagged = true;
  int delayed = 0;
  for (int i = 0; i < 1000; ++i) {
    const bool lags_now = polling.lag_ns(1, lagged) != 0;
    delayed += lags_now ? 1 : 0;
    polling.found_waiting_sender(lags_now);
    lagged = false;
  }
  EXPECT_LE(delayed, 20);
}

}  // namespace
}  // namespace armature::rmi
