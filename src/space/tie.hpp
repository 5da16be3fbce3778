#pragma once

#include <cstdint>

namespace armature::space {

/// What keeps a virtual rank in its process: it can neither go on in another one nor be written.
enum class Tie : std::uint32_t { none, stays_here, threads, mappings };

/// For a sentence about the rank.
constexpr const char* text(Tie tie) {
  switch (tie) {
    case Tie::stays_here:
      return "holds something of its process (StaysHere)";
    case Tie::threads:
      return "has threads of its own that have not ended";
    case Tie::mappings:
      return "has memory that it has mapped itself (mmap)";
    case Tie::none:
      break;
  }
  return "holds nothing";
}

}  // namespace armature::space
