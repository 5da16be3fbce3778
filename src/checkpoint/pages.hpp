#pragma once

#include <cstdint>

#include "checkpoint/left_out.hpp"
#include "checkpoint/page_sums.hpp"
#include "checkpoint/part.hpp"

namespace armature::checkpoints {

/// Writes the pages from `begin` to `end` of a memory file that were touched and hold more than
/// zeros, by where they lie in the file. With `sums`, which have begun: those of them that have
/// changed, and as zeros those that held more before. Memory that is left out counts as zeros.
/// Throws Error(corrupt).
void write_pages(int file, std::uint64_t begin, std::uint64_t end, PartWriter& part,
                 PageSums* sums = nullptr, const LeftOut& left_out = {});

}  // namespace armature::checkpoints
