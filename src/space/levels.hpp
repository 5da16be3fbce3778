#pragma once

#include <cstdint>

// The domains of each level (armature/locality.hpp): every level divides those of the level above,
// from the switches down to the cores.

namespace armature::space {

/// The domain of each level that a rank is in, or a process of virtual ranks: numbers from 0 on,
/// the same on all nodes. Beside the header's: how many there are.
struct Levels {
  std::int32_t network_switch = 0, node = 0, socket = 0, numa = 0, cache = 0, core = 0;
};

/// The place of a rank, or of a process of virtual ranks, by the numbers that its node gives to its
/// sockets and the like. -1: it is in no one of them in particular.
struct Place {
  std::int32_t network_switch = 0, node = 0, socket = -1, numa = -1, cache = -1, core = -1;
};

/// A slot of someone who is in domains.
struct InDomains {
  Levels levels;
};

}  // namespace armature::space
