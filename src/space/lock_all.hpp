#pragma once

#include <cstddef>

// Segments in processes that lock their memory (mlockall): see lock_all.cpp.

namespace armature::space {

/// How segments are to be mapped: not accessible where the kernel would make all their pages at
/// once, since it has been told to lock what is mapped (MCL_FUTURE).
[[nodiscard]] int access_when_mapped();

/// Opens all segments that have been mapped so; from now on mlockall leaves out what is not used of
/// them. False with errno when that cannot be.
[[nodiscard]] bool open_mapped(std::byte* begin, std::size_t bytes, int access);

}  // namespace armature::space
