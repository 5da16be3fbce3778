#include "rmi/seal.hpp"

#include <array>
#include <cstring>
#include <vector>

#include <gtest/gtest.h>

namespace armature::rmi {
namespace {

TEST(SealTest, every_bit_counts) {
  std::vector<std::byte> bytes(45, std::byte{7});
  const std::uint64_t good = Seal::checksum(bytes);
  for (std::size_t bit = 0; bit < 8 * bytes.size(); ++bit) {
    bytes[bit / 8] ^= std::byte(1 << bit % 8);
    EXPECT_NE(Seal::checksum(bytes), good) << bit;
    bytes[bit / 8] ^= std::byte(1 << bit % 8);
  }
  bytes.push_back(std::byte{0});
  EXPECT_NE(Seal::checksum(bytes), good) << "a zero more";
}

TEST(SealTest, what_was_put_is_found) {
  std::array<std::byte, 48> bytes{};
  detail::RequestHeader header{.units = 2, .kind = 1};
  std::memcpy(bytes.data(), &header, sizeof header);
  Seal::put(bytes);
  std::memcpy(&header, bytes.data(), sizeof header);
  EXPECT_EQ(header.units, 3) << "the seal is part of the request";
  EXPECT_EQ(Seal::of(bytes).request, Seal::checksum(std::span(bytes).first(32)));
  EXPECT_EQ(Seal::of(bytes).block, 0U);
}

}  // namespace
}  // namespace armature::rmi
