#include "rmi/request_checksum.hpp"

#include <array>
#include <cstring>
#include <vector>

#include <gtest/gtest.h>

#include "base/checksum.hpp"

namespace armature::rmi {
namespace {

TEST(RequestChecksumTest, what_was_put_is_found) {
  constexpr std::size_t request_bytes = 2 * detail::RequestHeader::unit;
  std::array<std::byte, request_bytes + sizeof(RequestChecksum)> bytes{};
  detail::RequestHeader header{.units = 2, .kind = 1};
  std::memcpy(bytes.data(), &header, sizeof header);
  const CalledAt called_at{.frames = {1, 2, 3}};
  RequestChecksum::put(bytes, called_at);
  std::memcpy(&header, bytes.data(), sizeof header);
  EXPECT_EQ(header.units * detail::RequestHeader::unit, bytes.size())
      << "the checksum is part of the request";
  EXPECT_EQ(RequestChecksum::of(bytes).called_at.frames, called_at.frames);
  EXPECT_EQ(RequestChecksum::of(bytes).request,
            base::checksum(std::span(bytes).first(request_bytes)));
  EXPECT_EQ(RequestChecksum::of(bytes).block, 0U);
}

}  // namespace
}  // namespace armature::rmi
