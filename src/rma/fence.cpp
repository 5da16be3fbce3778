#include "armature/fence.hpp"

#include <atomic>

#include "base/runtime.hpp"
#include "net/network.hpp"
#include "wait/cost_model.hpp"
#include "wait/ordered.hpp"
#include "wait/rank_context.hpp"
#include "wait/thread_call.hpp"

namespace armature {

namespace {

/// The network, model and look that have to know of a fence. They are looked for before the
/// processor waits for its stores.
struct Others {
  net::Network* net = net::network();
  wait::CostModel* model = wait::CostModel::of_job();
  bool are_looking = races::looks();

  [[nodiscard]] bool are_none() const { return net == nullptr && model == nullptr && !are_looking; }
};

/// Whether the rank is one of the job whose memory the calling rank loads and stores. Then a fence
/// is about that memory alone.
bool is_about_stores_alone(Rank rank) {
  const space::Mapping* const mapping = space::Mapping::of_process();
  return mapping != nullptr && wait::runs_rank() &&
         static_cast<unsigned>(rank) < static_cast<unsigned>(mapping->ranks()) &&
         (!base::has_extras() || Others().are_none());
}

[[gnu::noinline]] void fence_with_others(Rank rank) {
  const wait::ThreadCall under_way("fence");
  wait::mapping("fence").require_rank(rank, "fence");
  const Others others;
  std::atomic_thread_fence(std::memory_order_seq_cst);
  if (others.net != nullptr && !others.net->mapping().is_here(rank))
    others.net->flush().to(rank, "fence");
  if (others.are_looking) wait::complete_puts(rank);
  if (others.model != nullptr) others.model->fence(rank);
}

[[gnu::noinline]] void fence_all_with_others() {
  const wait::ThreadCall under_way("fence_all");
  (void)wait::mapping("fence_all");
  const Others others;
  std::atomic_thread_fence(std::memory_order_seq_cst);
  if (others.net != nullptr) others.net->flush().to_all("fence_all");
  if (others.are_looking) wait::complete_puts(-1);
  if (others.model != nullptr) others.model->fence(-1);
}

}  // namespace

// Stores to the node's memory have taken effect once they have left this core's store buffer; what
// went to other nodes, once their processes have said so.
void fence(Rank rank) {
  if (!is_about_stores_alone(rank)) [[unlikely]]
    return fence_with_others(rank);
  std::atomic_thread_fence(std::memory_order_seq_cst);
}

void fence_all() {
  if (!wait::runs_rank() || base::has_extras()) [[unlikely]]
    return fence_all_with_others();
  std::atomic_thread_fence(std::memory_order_seq_cst);
}

}  // namespace armature
