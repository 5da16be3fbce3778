#include "armature/fence.hpp"

#include <atomic>

#include "progress/rank_context.hpp"
#include "progress/thread_call.hpp"

namespace armature {

// Stores to the node's memory have taken effect once they have left this core's store buffer; what
// went to other nodes, once their processes have said so.
void fence(Rank rank) {
  const progress::ThreadCall under_way("fence");
  progress::mapping("fence").require_rank(rank, "fence");
  std::atomic_thread_fence(std::memory_order_seq_cst);
  if (progress::Network* const net = progress::network();
      net != nullptr && !net->mapping().is_here(rank))
    net->fence(rank, "fence");
}

void fence_all() {
  const progress::ThreadCall under_way("fence_all");
  (void)progress::mapping("fence_all");
  std::atomic_thread_fence(std::memory_order_seq_cst);
  if (progress::Network* const net = progress::network()) net->fence_all("fence_all");
}

}  // namespace armature
