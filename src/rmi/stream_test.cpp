#include "rmi/stream.hpp"

#include <gtest/gtest.h>

namespace armature::rmi {
namespace {

/// Of so many looks that found so many statements each, after how many the reader should lag.
int lags(Stream& stream, int looks, std::uint64_t statements) {
  int count = 0;
  for (int i = 0; i < looks; ++i) count += stream.goes_on(statements) ? 1 : 0;
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

}  // namespace
}  // namespace armature::rmi
