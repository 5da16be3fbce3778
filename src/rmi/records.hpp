#pragma once

#include <cstdint>

#include "transport/service.hpp"

namespace armature::rmi {

/// Records of remote calls, beside those that their channels carry.
enum class Kind : std::uint8_t {
  reply,     // the answer to a two-way call
  unwanted,  // nobody waits for it any more
  cycle,     // of ranks that are full: is there one?
  count,
};

extern const transport::Service service;
constexpr const transport::Service& service_of(Kind) { return service; }

}  // namespace armature::rmi
