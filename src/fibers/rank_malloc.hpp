#pragma once

#include <string>

#include "interpose/interface.hpp"
#include "space/mapping.hpp"
#include "space/rank_heap.hpp"

// The process's malloc as far as it knows of ranks: libarmature-malloc.so, if it is loaded.

namespace armature::fibers {

/// Called once per process, before any rank runs.
void find_rank_malloc(const space::Mapping& mapping);
/// Whether what a rank allocates comes from its own heap.
bool malloc_knows_ranks();
/// Whether it does not since the program brings a malloc of its own.
bool malloc_is_the_programs();
/// Why it does not, for a sentence about the memory of ranks.
const std::string& why_malloc_knows_no_ranks();
/// Whether ranks have started threads in this process that have not ended.
bool threads_of_ranks_run();
/// Ranks have become what they were: nothing that they have mapped or opened since keeps them here.
void forget_ties_of_ranks();
/// The functions by which files go with ranks; nullptr where malloc knows no ranks.
const interpose::MovingFiles* moving_files();
/// The heap from which malloc takes on this thread; nullptr in it: the process's.
space::RankHeap*& heap_of_malloc();

}  // namespace armature::fibers
