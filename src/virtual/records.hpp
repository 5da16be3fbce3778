#pragma once

#include <cstdint>

#include "transport/service.hpp"

namespace armature::fibers {

/// Records of virtual ranks.
enum class Kind : std::uint8_t {
  urgent,  // what came before it from that rank is
  // Of ranks that go to other nodes, while all processes stand still:
  plan,       // who goes where
  step,       // how far a process is
  problem,    // what has gone wrong
  whole,      // a checkpoint is to be of all, not of what has changed
  pages,      // of a rank's band
  traveller,  // what else there is of it
  notified,   // how often it had notified others
  // Of copies of ranks' bands in memory, on other nodes:
  copy_pages,
  copied,
  lost,  // who is, and that nothing from before that comes any more
  count,
};

extern const transport::Service service;
constexpr const transport::Service& service_of(Kind) { return service; }

}  // namespace armature::fibers
