#pragma once

#include "rma/subarray.hpp"

namespace armature::rma {

/// Copies a subarray of single elements that follow each other on one side along one level, and on
/// the other side along another: a transpose. Returns false, and copies nothing, if it is none, or
/// so small that its rows are as quick.
[[nodiscard]] bool copy_transposed(std::byte* to, const std::byte* from, const Subarray& subarray);

}  // namespace armature::rma
