#pragma once

#include <string>

#include "interpose/interface.hpp"

namespace armature::fibers {

/// Names the function that allocates and does not take its memory from `library`, and where it
/// lies, for a sentence; empty when all take it there. A program may have brought a malloc of its
/// own, linked into it or as a library, or an operator new that gives memory from a pool. Called
/// before any rank runs.
[[nodiscard]] std::string find_own_malloc(const interpose::MallocLibrary& library);

}  // namespace armature::fibers
