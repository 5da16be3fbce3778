#pragma once

#include <cstddef>
#include <initializer_list>
#include <ranges>
#include <span>

#include "armature/detail/export.hpp"

// Checkpoints that the program guides: a rank leaves memory out that it can make anew.

namespace armature {

/// Memory of the calling rank: `bytes` from `begin` on, or the elements of a contiguous range.
struct CheckpointMemory {
  const void* begin = nullptr;
  std::size_t bytes = 0;

  CheckpointMemory(const void* the_begin, std::size_t the_bytes)
      : begin(the_begin), bytes(the_bytes) {}
  template <std::ranges::contiguous_range Range>
  requires std::ranges::sized_range<Range> CheckpointMemory(
      const Range& range)  // NOLINT: implicit, so that lists of ranges can be written
      : begin(std::ranges::data(range)),
        bytes(std::ranges::size(range) * sizeof(std::ranges::range_value_t<Range>)) {}
};

/// Leaves that memory out of all checkpoints from now on, on disk and in memory, until
/// checkpoint_keep() takes it back. After a restart, and when ranks have gone back to a checkpoint,
/// its bytes are zero. Pages of 4096 bytes are left out whole: the bytes at either end that share a
/// page with other memory are written as ever. The job itself goes on with what is there. The
/// memory is the calling rank's own: what it has allocated for others (World::allocate), by malloc
/// or new, or its globals where it has them for itself. Memory that is freed has to be taken back
/// before, as it may be given out again for something else. Has no effect where ranks are not
/// virtual.
///
/// Throws Error(bad_argument) where some of the bytes are not the rank's, or lie on its stack;
/// Error(misuse) outside run().
ARMATURE_API void checkpoint_skip(const CheckpointMemory& memory);
/// Has that memory written again, as all is at first. Bytes that are not left out stay as they are.
/// Throws as checkpoint_skip().
ARMATURE_API void checkpoint_keep(const CheckpointMemory& memory);
/// Leaves all of `whole` out but `parts`, which lie in it. Throws as checkpoint_skip(), and
/// Error(bad_argument) where a part lies elsewhere.
ARMATURE_API void checkpoint_only(const CheckpointMemory& whole,
                                  std::span<const CheckpointMemory> parts);
inline void checkpoint_only(const CheckpointMemory& whole,
                            std::initializer_list<CheckpointMemory> parts) {
  checkpoint_only(whole, std::span(parts.begin(), parts.size()));
}

}  // namespace armature
