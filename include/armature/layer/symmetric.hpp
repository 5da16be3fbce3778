#pragma once

#include <cstddef>

#include "armature/detail/export.hpp"
#include "armature/global_ptr.hpp"
#include "armature/rank.hpp"
#include "armature/team.hpp"

// Symmetric memory, as OpenSHMEM has it (OpenSHMEM 1.5, 3): each member of a team has a block at
// the same distance from the beginning of its segment. So a member knows the addresses of all
// others from its own. It lies at the far end of a segment, from there down, and takes whole pages:
// layers that hand out small objects divide large blocks themselves.

namespace armature::layer {

/// Allocates that many bytes, zero-filled, at that alignment. It is a power of two up to 4096;
/// blocks begin at pages anyhow. Collective over the team, with the same numbers at all members.
/// Returns the caller's own block. Throws at all members: Error(bad_argument) where the sizes
/// differ or a number makes no sense, Error(out_of_memory) where there is no common place, or no
/// memory for one of them.
[[nodiscard]] ARMATURE_API void* allocate_symmetric(const Team& team, std::size_t bytes,
                                                    std::size_t alignment = 64);
/// Collective over the same members: a barrier, since nobody may still use the block. Throws
/// Error(misuse) at all members where one has no such block.
ARMATURE_API void free_symmetric(const Team& team, void* mine);

/// How far the segments of two ranks with neighbouring numbers are apart, in bytes; the same in all
/// processes of a job. Throws Error(misuse) outside run().
[[nodiscard]] ARMATURE_API std::ptrdiff_t segment_stride();
/// Returns the place in `to`'s segment that corresponds to `address` in `of`'s.
template <class T>
[[nodiscard]] global_ptr<T> symmetric_address(T* address, Rank of, Rank to, std::ptrdiff_t stride) {
  return {to, reinterpret_cast<T*>(reinterpret_cast<std::ptrdiff_t>(address) +
                                   (std::ptrdiff_t{to} - of) * stride)};
}

}  // namespace armature::layer
