#include "armature/clock.hpp"
#include "space/mapping.hpp"
#include "wait/rank_context.hpp"

namespace armature {

std::uint64_t detail::clock_number() {
  const space::ControlHeader& header = wait::mapping("clock_number").header();
  // A restart counts recoveries from none again.
  return std::uint64_t{static_cast<std::uint16_t>(header.node)} << 48 |
         std::uint64_t{header.quiesce.restarts & 0xff'ffff} << 24 |
         (header.quiesce.epoch.recoveries.load(std::memory_order_relaxed) & 0xff'ffff);
}

}  // namespace armature
