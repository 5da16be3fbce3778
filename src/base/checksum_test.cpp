#include "base/checksum.hpp"

#include <vector>

#include <gtest/gtest.h>

namespace armature::base {
namespace {

// The sizes are a small request's and a page's: the two are summed in different ways.
TEST(ChecksumTest, every_bit_counts) {
  for (const std::size_t size : {45, 4096}) {
    std::vector<std::byte> bytes(size, std::byte{7});
    const std::uint64_t good = checksum(bytes.data(), size);
    for (std::size_t bit = 0; bit < 8 * size; ++bit) {
      bytes[bit / 8] ^= std::byte(1 << bit % 8);
      EXPECT_NE(checksum(bytes.data(), size), good) << bit;
      bytes[bit / 8] ^= std::byte(1 << bit % 8);
    }
    bytes.push_back(std::byte{0});
    EXPECT_NE(checksum(bytes.data(), size + 1), good) << "a zero more";
  }
}

TEST(ChecksumTest, what_came_before_counts) {
  const std::vector<std::byte> one(4096, std::byte{1}), two(4096, std::byte{2}), none(4096);
  const auto sum = [](const auto&... pieces) {
    std::uint64_t before = 0;
    ((before = checksum(pieces.data(), pieces.size(), before)), ...);
    return before;
  };
  EXPECT_NE(sum(one, two), sum(two, one));
  EXPECT_NE(sum(one, one), sum(one));
  EXPECT_NE(sum(one, none), sum(one));
}

}  // namespace
}  // namespace armature::base
