#pragma once

#include <utility>

// What a virtual rank allocates comes from a heap in its own band, which moves with it. What the
// process keeps must not, whoever happens to run when it is made.

namespace armature::space {
class RankHeap;
}

namespace armature::base {

/// Where malloc of this thread finds the heap of the rank that runs; nullptr when it knows no
/// ranks.
extern constinit thread_local space::RankHeap** heap_of_rank;

/// While this lives, what the calling thread allocates is the process's. No rank may wait
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
