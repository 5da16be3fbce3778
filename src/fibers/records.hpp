#pragma once

#include <cstdint>

#include "transport/service.hpp"

namespace armature::fibers {

/// Records of virtual ranks that run.
enum class Kind : std::uint8_t {
  urgent,  // what came before it from that rank is
  count,
};

extern const transport::Service service;
constexpr const transport::Service& service_of(Kind) { return service; }

}  // namespace armature::fibers
