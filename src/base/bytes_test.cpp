#include "base/bytes.hpp"

#include <gtest/gtest.h>

namespace armature::base {
namespace {

TEST(ReadableBytes, small_numbers_are_exact) {
  EXPECT_EQ(readable_bytes(0), "0 B");
  EXPECT_EQ(readable_bytes(1023), "1023 B");
}

TEST(ReadableBytes, large_numbers_have_one_decimal_and_a_unit) {
  EXPECT_EQ(readable_bytes(1536), "1.5 KiB");
  EXPECT_EQ(readable_bytes(std::uint64_t{256} << 30), "256.0 GiB");
  EXPECT_EQ(readable_bytes(UINT64_MAX), "16.0 EiB");
}

}  // namespace
}  // namespace armature::base
