#include "rmi/request_checksum.hpp"

#include <array>
#include <cstring>
#include <vector>

#include <gtest/gtest.h>

#include "base/checksum.hpp"

namespace armature::rmi {
namespace {

TEST(RequestChecksumTest, what_was_put_is_found) {
  std::array<std::byte, 48> bytes{};
  detail::RequestHeader header{.units = 2, .kind = 1};
  std::memcpy(bytes.data(), &header, sizeof header);
  RequestChecksum::put(bytes);
  std::memcpy(&header, bytes.data(), sizeof header);
  EXPECT_EQ(header.units, 3) << "the checksum is part of the request";
  EXPECT_EQ(RequestChecksum::of(bytes).request, base::checksum(std::span(bytes).first(32)));
  EXPECT_EQ(RequestChecksum::of(bytes).block, 0U);
}

}  // namespace
}  // namespace armature::rmi
