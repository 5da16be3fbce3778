#pragma once

#include <cstdint>

#include "transport/service.hpp"

namespace armature::team {

/// Records of teams.
enum class Kind : std::uint8_t {
  round,      // what members show
  piece,      // a part of what one of them shows, before that
  wave,       // of a fence of remote calls
  breakdown,  // of its collectives of messages
  refuse,     // a team cannot be made; or: this is known
  count,
};

extern const transport::Service service;
constexpr const transport::Service& service_of(Kind) { return service; }

}  // namespace armature::team
