#pragma once

#include <cstdint>

#include "transport/service.hpp"

namespace armature::message {

/// Records of messages between nodes. What is in rings travels by itself (net/remote_rings).
enum class Kind : std::uint8_t {
  bytes,  // of a long message, for a Landing
  count,
};

/// Kind::bytes. The bytes follow.
struct BytesRecord {
  std::uint64_t landing;  // its address
  std::uint64_t offset;   // in the message
  std::uint32_t number;   // of the landing's use
  std::uint32_t unused;
};

extern const transport::Service service;
constexpr const transport::Service& service_of(Kind) { return service; }

}  // namespace armature::message
