#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>

// Where the bands of a job lie. The same in every process, so an address means the same thing
// everywhere. The default base is far from where Linux puts programs, libraries, heaps and stacks
// (and from AddressSanitizer's shadow); ThreadSanitizer allows programs the lowest 512 GiB only.

namespace armature::space {

#if defined(__SANITIZE_THREAD__)
inline constexpr std::uint64_t default_base = 0x10'0000'0000;
inline constexpr std::uint64_t default_room = std::uint64_t{256} << 30;
inline constexpr std::uint64_t band_bytes_max = std::uint64_t{16} << 30;
#else
inline constexpr std::uint64_t default_base = 0x2000'0000'0000;
inline constexpr std::uint64_t default_room = std::uint64_t{32} << 40;
inline constexpr std::uint64_t band_bytes_max = std::uint64_t{256} << 30;
#endif
inline constexpr std::uint64_t band_bytes_min = std::uint64_t{64} << 20;
inline constexpr std::uint64_t address_end = std::uint64_t{1} << 47;
inline constexpr std::uint32_t ranks_max = 131072;

// A virtual rank's stack lies at the upper end of its band, below it pages that must not be
// touched.
inline constexpr std::uint64_t stack_guard_bytes = 64 * 1024;
// The stacks of different ranks end at different distances from their bands' ends. Bands are powers
// of two apart: if their stacks were so too, the processor would take loads from one for dependent
// on stores to the other, and they would share few places in its caches (a switch took 4 times as
// long).
inline constexpr std::uint64_t stack_shift_bytes = 4096 + 320, stack_shifts = 61;
inline std::uint64_t stack_shift(std::uint64_t rank) {
  return rank % stack_shifts * stack_shift_bytes;
}
/// What a band keeps for all that. 0 where ranks have no stack there.
inline std::uint64_t stack_room(std::uint64_t stack_bytes) {
  return stack_bytes == 0 ? 0 : stack_bytes + stack_guard_bytes + 68 * 4096;
}
static_assert(stack_shift_bytes * stack_shifts <= 67 * 4096);
/// Where the stack begins, in whole pages: the guard ends there.
inline std::uint64_t stack_low(std::uint64_t band_end, std::uint64_t rank,
                               std::uint64_t stack_bytes) {
  return (band_end - stack_shift(rank) - stack_bytes) / 4096 * 4096;
}
/// Where what a virtual rank allocates lies in its band: in the upper half, below the stack.
inline std::uint64_t rank_heap_offset(std::uint64_t band_bytes) { return band_bytes / 2; }
inline std::uint64_t rank_heap_bytes(std::uint64_t band_bytes, std::uint64_t stack_bytes) {
  return band_bytes / 2 - stack_room(stack_bytes);
}
inline constexpr std::uint64_t stack_bytes_min = std::uint64_t{16} << 10;
/// As the main thread of a process usually has, but no more than a small part of the band.
inline std::uint64_t default_stack_bytes(std::uint64_t band_bytes) {
  return std::min(std::uint64_t{8} << 20, band_bytes / 16);
}

/// The largest power of two such that all bands fit the default room.
inline std::uint64_t default_band_bytes(std::uint32_t ranks) {
  return std::min(band_bytes_max, std::bit_floor(default_room / std::max<std::uint64_t>(ranks, 1)));
}

}  // namespace armature::space
