#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "armature/detail/export.hpp"

namespace armature::detail {

/// State that a layer above this library keeps of each virtual rank in the process's own memory. It
/// goes along with the rank: to other processes and nodes, into checkpoints, and back to what was
/// copied (armci-on-charm-2006, 3). Functions are called while the rank does not run, outside of
/// all ranks: none may call this library.
struct RankState {
  /// Unlike that of other layers. It and the rest must live as long as the process.
  const char* name;
  /// Appends all that there is, for `unpack`, maybe in another process; `forget` comes next.
  void (*pack)(int rank, std::vector<std::byte>& to);
  void (*unpack)(int rank, std::span<const std::byte> from);
  /// The rank has left the process or the job, or goes back to what it was. There may be nothing.
  void (*forget)(int rank);
};

/// By every process of the job, in the same order, before it joins (armature::run). Throws
/// Error(misuse) afterwards.
ARMATURE_API void keep_of_ranks(const RankState& state);

}  // namespace armature::detail
