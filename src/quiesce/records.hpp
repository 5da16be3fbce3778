#pragma once

#include <cstdint>

#include "transport/service.hpp"

namespace armature::quiesce {

/// Records of processes that quiesce, or are to.
enum class Kind : std::uint8_t {
  plan,     // who goes where
  change,   // a process leaves, or comes
  step,     // how far a process is
  problem,  // what has gone wrong
  whole,    // a checkpoint is to be of all, not of what has changed
  lost,     // who is, and that nothing from before that comes any more
  count,
};

extern const transport::Service service;
constexpr const transport::Service& service_of(Kind) { return service; }

}  // namespace armature::quiesce
