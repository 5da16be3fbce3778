#pragma once

#include <array>
#include <cstdint>

#include "space/mapping.hpp"
#include "transport/links.hpp"

// Cycles of ranks that are full, each of which waits for the next one (flow_control.hpp). A full
// rank shows in its slot which one it waits for. Where that is on another node it asks there. The
// one that is asked follows what is shown on, over as many nodes as it takes, until it comes back
// to the one that has asked. All of that are hints: they say when a rank had better take something
// in.

namespace armature::rmi {

/// Kind::cycle: from the rank that asks to the one that `before` waits for.
struct CycleRecord {
  std::int32_t before;
  std::int32_t steps;
};

/// The rank before `me` in a cycle that it closes; -1 when none is known. `until` is which one
/// it waits for. On other nodes it is asked for anew if `asks`; the answer comes later.
[[nodiscard]] int previous_in_cycle(const space::Mapping& job, int me, int until, bool asks);

extern const std::array<transport::Handling, 1> cycle_handlers;

}  // namespace armature::rmi
