#pragma once

#include <cstdint>

#include "transport/service.hpp"

namespace armature::migration {

/// Records of ranks that go to other nodes, while all processes are quiescent.
enum class Kind : std::uint8_t {
  pages,       // of a rank's segment
  rank_image,  // what else there is of it
  notified,    // how often it had notified others
  count,
};

extern const transport::Service service;
constexpr const transport::Service& service_of(Kind) { return service; }

}  // namespace armature::migration
