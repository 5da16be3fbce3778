#pragma once

#include <cstdint>

#include "transport/service.hpp"

namespace armature::checkpoints {

/// Records of copies of ranks' segments in memory, on other nodes.
enum class Kind : std::uint8_t {
  copy_pages,  // of a rank's segment
  copied,      // the rest of a rank
  count,
};

extern const transport::Service service;
constexpr const transport::Service& service_of(Kind) { return service; }

}  // namespace armature::checkpoints
