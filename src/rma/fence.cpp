#include "armature/fence.hpp"

#include <atomic>

#include "progress/rank_context.hpp"

namespace armature {

// Stores to the node's memory have taken effect once they have left this core's store buffer.
void fence(Rank rank) {
  progress::mapping("fence").require_rank(rank, "fence");
  std::atomic_thread_fence(std::memory_order_seq_cst);
}

void fence_all() {
  (void)progress::mapping("fence_all");
  std::atomic_thread_fence(std::memory_order_seq_cst);
}

}  // namespace armature
