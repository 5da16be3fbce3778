#pragma once

#include <algorithm>
#include <cstdint>
#include <span>

#include "space/control.hpp"

// An exception that ends its rank may have been caught before: then the stack of the one who dies
// says nothing. Whoever has noted where it was thrown puts that into the crash report first.

namespace armature::space {

/// Beside the number of frames: they are those of the throw.
inline constexpr std::uint32_t frames_of_throw = 1u << 31;

inline void put_stack_of_throw(CrashReport& report, std::span<void* const> stack) {
  const std::size_t count = std::min(stack.size(), CrashReport::frames_max);
  for (std::size_t i = 0; i < count; ++i)
    report.frame[i] = reinterpret_cast<std::uint64_t>(stack[i]);
  report.frames = static_cast<std::uint32_t>(count) | frames_of_throw;
}

/// Whether the report has such a stack; then its number of frames is in order.
inline bool take_stack_of_throw(CrashReport& report) {
  const bool has = (report.frames & frames_of_throw) != 0;
  report.frames &= ~frames_of_throw;
  return has;
}

}  // namespace armature::space
