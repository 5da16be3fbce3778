#pragma once

#include <utility>

// A virtual rank allocates from a heap in its own segment, which moves with it. Memory that the
// process keeps must not come from there, whichever rank runs when it is allocated.

namespace armature::space {
class RankHeap;
}

namespace armature::base {

/// malloc of this thread finds the heap of the rank that runs there; nullptr when it knows no
/// ranks.
extern constinit thread_local space::RankHeap** heap_of_rank;

/// Makes allocations of the calling thread the process's while it lives. No rank may wait
/// meanwhile.
class ProcessMemory {
 public:
  ProcessMemory() {
    if (heap_of_rank != nullptr) before_ = std::exchange(*heap_of_rank, nullptr);
  }
  ProcessMemory(const ProcessMemory&) = delete;
  ProcessMemory& operator=(const ProcessMemory&) = delete;
  ~ProcessMemory() {
    if (heap_of_rank != nullptr) *heap_of_rank = before_;
  }

 private:
  space::RankHeap* before_ = nullptr;
};

}  // namespace armature::base
