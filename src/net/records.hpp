#pragma once

#include <cstdint>

#include "transport/service.hpp"

namespace armature::net {

/// Records of the network itself.
enum class Kind : std::uint8_t {
  life,  // what has become of a rank
  ring,  // bytes of a ring: messages, remote calls
  room,  // how far a ring has been read
  notify,
  count,
};

extern const transport::Service service;
constexpr const transport::Service& service_of(Kind) { return service; }

}  // namespace armature::net
