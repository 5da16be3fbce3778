#pragma once

#include <array>
#include <cstdint>

#include "transport/service.hpp"

// Memory of this process that the engine reaches by itself: chunks of segments, each registered
// when another process first asks for it. There is a limit. Beyond it the chunk about which nobody
// has asked for the longest time makes room (armci-rma-2006, 5.1): its keys are asked for back, and
// when nobody has one any more its registration ends. Who has used a key meanwhile keeps it, and
// the chunk stays. Who asked for more than there was room for goes by records, and asks again.

namespace armature::rma {

inline constexpr std::uint64_t chunk_bytes = std::uint64_t{16} << 20;

/// How much may be registered where so much may be locked: what transports lock for themselves is
/// left to them.
[[nodiscard]] std::uint64_t registrable(std::uint64_t locked_max);

/// Under the links' lock.
struct RegisteredMemory {
  RegisteredMemory();

  std::uint64_t bytes_max;      // as much as ulimit -l or the user allows
  std::uint64_t bytes = 0;      // now
  std::uint64_t leaving = 0;    // of these: their keys have been asked for back
  bool has_told_limit = false;  // to the user
};
[[nodiscard]] RegisteredMemory& registered_memory();

extern const std::array<transport::Handling, 2> registered_memory_handlers;
/// That process holds no key any more. Under the links' lock.
void forget_holder(int process);
/// All registrations end. Nobody uses them any more. Under the links' lock.
void end_registrations();

}  // namespace armature::rma
