#pragma once

#include <cstddef>
#include <string>

#include "armature/detail/export.hpp"
#include "armature/team.hpp"

// Static and global variables of the program as symmetric memory (OpenSHMEM 1.6, 3): each rank's
// lie in its segment, at the same distance from its beginning, where transfers reach them.

namespace armature::layer {

struct SymmetricVariables {
  std::byte* mine = nullptr;   ///< where the caller's program has them
  std::byte* place = nullptr;  ///< the same memory, in the caller's segment
  std::size_t bytes = 0;       ///< the same at all ranks
  std::string why_none;        ///< a sentence, where they are not symmetric
};

/// Makes the variables of the program's own file symmetric, those of functions and classes
/// included; those of libraries and thread-local ones are not. Collective over all ranks; once.
///
/// A rank that is a process has its variables moved into its segment. They keep their addresses and
/// values; only no other thread may write to them meanwhile. A virtual rank has them there already,
/// where each has its own (armature run --private-globals=on). Where a rank cannot, none has them:
/// `why_none` says why.
[[nodiscard]] ARMATURE_API SymmetricVariables symmetric_variables(const Team& all);

}  // namespace armature::layer
