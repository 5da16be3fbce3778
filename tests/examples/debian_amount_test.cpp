#include <gtest/gtest.h>

#include "debian/amount.hpp"

namespace debian {
namespace {

TEST(AmountTest, amounts_are_readable) {
  EXPECT_EQ(grouped(0), "0");
  EXPECT_EQ(grouped(999), "999");
  EXPECT_EQ(grouped(1234567), "1,234,567");
  EXPECT_EQ(readable_bytes(1023), "1023 B");
  EXPECT_EQ(readable_bytes(12'595), "12.3 KiB");
  EXPECT_EQ(readable_bytes(1'048'575), "1.00 MiB");
}

}  // namespace
}  // namespace debian
