#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>

// The layout of a job's segments in the address space. It is the same in every process, so an
// address means the same thing everywhere. The default base is far from where Linux puts programs,
// libraries, heaps and stacks, and from AddressSanitizer's shadow. It is no simple fraction of the
// free address space, where others map what they share (address_reservation.hpp). ThreadSanitizer
// allows programs the lowest 512 GiB only.

namespace armature::space {

#if defined(__SANITIZE_THREAD__)
inline constexpr std::uint64_t default_base = 0x10'0000'0000;
inline constexpr std::uint64_t default_room = std::uint64_t{256} << 30;
inline constexpr std::uint64_t segment_bytes_max = std::uint64_t{16} << 30;
#else
inline constexpr std::uint64_t default_base = 0x2c00'0000'0000;
inline constexpr std::uint64_t default_room = std::uint64_t{32} << 40;
inline constexpr std::uint64_t segment_bytes_max = std::uint64_t{256} << 30;
#endif
/// The distance from the end of the control block to the segments, where all processes have the
/// control block at one address.
inline constexpr std::uint64_t below_segments_bytes = std::uint64_t{1} << 30;
inline constexpr std::uint64_t below_segments_bytes_max = 2 * below_segments_bytes;
inline constexpr std::uint64_t segment_bytes_min = std::uint64_t{64} << 20;
/// The largest number of memory files for the segments of process ranks on a node. Each process
/// maps all of them: with one for each rank, that took the square of the ranks. Up to this number
/// each rank has a file of its own, since the kernel reserves memory of a file for one process at a
/// time.
inline constexpr std::uint32_t segment_files_max = 64;
/// The length of a segment where a process of the job runs on valgrind. Valgrind keeps a record of
/// every 64 KiB that are mapped, touched or not: 24 GB for the default address range. When the
/// process ends, it looks for pointers in all of them, which takes 4 s for each GiB.
inline constexpr std::uint64_t segment_bytes_on_valgrind = segment_bytes_min;
inline constexpr std::uint64_t address_end = std::uint64_t{1} << 47;
inline constexpr std::uint32_t ranks_max = 131072;
/// The limit on virtual ranks of a job on several nodes. Each process maps the head of the segment
/// of every virtual rank on another node, which makes two areas for each; a process may have 65,530
/// (vm.max_map_count).
inline constexpr std::uint32_t virtual_ranks_on_nodes_max = 30'000;

// Below a virtual rank's stack lie pages that must not be touched. See virtual_segment.hpp.
inline constexpr std::uint64_t stack_guard_bytes = 64 * 1024;
// The stacks of different ranks end at different distances from their segments' starts. Segments
// are powers of two apart: if their stacks were so too, the processor would take loads from one for
// dependent on stores to the other, and they would share few places in its caches (a switch took 4
// times as long).
inline constexpr std::uint64_t stack_shift_bytes = 4096 + 320, stack_shifts = 61;
inline constexpr std::uint64_t stack_shift_max = stack_shift_bytes * stack_shifts;
inline std::uint64_t stack_shift(std::uint64_t rank) {
  return rank % stack_shifts * stack_shift_bytes;
}
inline constexpr std::uint64_t stack_bytes_min = std::uint64_t{16} << 10;
/// As the main thread of a process usually has, but no more than a small part of the segment.
inline std::uint64_t default_stack_bytes(std::uint64_t segment_bytes) {
  return std::min(std::uint64_t{8} << 20, segment_bytes / 16);
}

/// The largest power of two such that all segments fit the default room.
inline std::uint64_t default_segment_bytes(std::uint32_t ranks) {
  return std::min(segment_bytes_max,
                  std::bit_floor(default_room / std::max<std::uint64_t>(ranks, 1)));
}

}  // namespace armature::space
