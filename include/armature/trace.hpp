#pragma once

#include <cstdint>
#include <string_view>

#include "armature/detail/export.hpp"

// Phases and numbers of a program, for the picture that `armature run --trace FILE` makes. Jobs of
// `armature run` keep the last ones without --trace, too: each looks up its name and reads the
// clock. Elsewhere each costs a call and a look at a pointer. The calling thread is a rank's; of
// other threads nothing is recorded.

namespace armature {

/// A phase of the calling rank, from its construction to its destruction: a bar with that name in
/// the picture. Phases of a rank may lie in each other. The rank may wait and move to other
/// processes meanwhile. A name of more than 1000 bytes is cut.
class trace_phase {
 public:
  ARMATURE_API explicit trace_phase(std::string_view name);
  trace_phase(const trace_phase&) = delete;
  trace_phase& operator=(const trace_phase&) = delete;
  ARMATURE_API ~trace_phase();

 private:
  std::uint32_t name_ = 0;  // 0: nothing is recorded
  std::uint64_t began_ns_ = 0;
};

/// The value of a counter of the calling rank from now on: a curve with that name, and the rank's
/// number, in the picture. What is no finite number is left out.
ARMATURE_API void trace_counter(std::string_view name, double value);

}  // namespace armature
