#pragma once

#include <cstddef>
#include <cstdint>

namespace armature::space {

/// The kernel's smallest.
inline constexpr std::size_t page_bytes = 4096;
/// Blocks of a heap from this size on give their pages back when freed.
inline constexpr std::size_t page_wise_min = 128 * 1024;

/// The nearest multiples of a page: at or below, at or above.
constexpr std::uintptr_t page_below(std::uintptr_t at) { return at / page_bytes * page_bytes; }
constexpr std::uintptr_t page_above(std::uintptr_t at) { return page_below(at + page_bytes - 1); }
inline std::byte* page_below(std::byte* at) {
  return reinterpret_cast<std::byte*>(page_below(reinterpret_cast<std::uintptr_t>(at)));
}
inline std::byte* page_above(std::byte* at) {
  return reinterpret_cast<std::byte*>(page_above(reinterpret_cast<std::uintptr_t>(at)));
}

}  // namespace armature::space
