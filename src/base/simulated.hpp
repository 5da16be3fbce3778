#pragma once

#include <cstdint>

namespace armature::base {

/// Takes the machine's place in a simulation; set while nothing else runs.
struct Simulated {
  std::uint64_t (*now_ns)() = nullptr;  // the clock
  // Others' turn. A simulation may run all processes on one thread: then they act one at a time, at
  // the places that call let_others_act(), between two steps of a protocol.
  void (*others_act)() = nullptr;
  // Kills this process, whose turn it is: the others go on without it. May return if the process
  // has no turns.
  void (*die)() = nullptr;
};
inline Simulated simulated;

}  // namespace armature::base
