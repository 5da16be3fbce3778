#pragma once

#include <cstdint>

namespace armature::fibers {

/// Makes the pages from `begin` to `end` of one memory file those of another: touched where they
/// are touched there. Throws Error(out_of_memory).
void copy_pages(int from, int to, std::uint64_t begin, std::uint64_t end);
/// What was touched there is zero again, and takes no memory. Throws the same.
void empty_pages(int file, std::uint64_t begin, std::uint64_t end);

}  // namespace armature::fibers
