#pragma once

#include "armature/detail/export.hpp"

namespace armature::layer {

/// Whether the job is to check every call in full, whatever that costs (`armature run --check`). It
/// is the same at all ranks. Throws Error(misuse) outside run().
[[nodiscard]] ARMATURE_API bool checks_in_full();

}  // namespace armature::layer
