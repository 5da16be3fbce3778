#include "armature/fence.hpp"

#include <atomic>

#include "net/network.hpp"
#include "wait/cost_model.hpp"
#include "wait/ordered.hpp"
#include "wait/rank_context.hpp"
#include "wait/thread_call.hpp"

namespace armature {

// Stores to the node's memory have taken effect once they have left this core's store buffer; what
// went to other nodes, once their processes have said so.
void fence(Rank rank) {
  const wait::ThreadCall under_way("fence");
  wait::mapping("fence").require_rank(rank, "fence");
  std::atomic_thread_fence(std::memory_order_seq_cst);
  if (net::Network* const net = net::network(); net != nullptr && !net->mapping().is_here(rank))
    net->flush().to(rank, "fence");
  wait::complete_puts(rank);
  if (wait::CostModel* const model = wait::CostModel::of_job()) model->fence(rank);
}

void fence_all() {
  const wait::ThreadCall under_way("fence_all");
  (void)wait::mapping("fence_all");
  std::atomic_thread_fence(std::memory_order_seq_cst);
  if (net::Network* const net = net::network()) net->flush().to_all("fence_all");
  wait::complete_puts(-1);
  if (wait::CostModel* const model = wait::CostModel::of_job()) model->fence(-1);
}

}  // namespace armature
