#include "order.hpp"

#include <armature/fence.hpp>
#include <armature/handle.hpp>
#include <armature/layer/races.hpp>

#include "place.hpp"
#include "state.hpp"

namespace shmem {

void complete_all() {
  armature::wait_all();
  armature::fence_all();
}

// Blocking puts to one PE are in order by themselves; what is non-blocking is in order with what
// comes after once it is complete.
void fence(shmem_ctx_t ctx) {
  if (ctx != SHMEM_CTX_INVALID) complete_all();
}
void quiet(shmem_ctx_t ctx) {
  if (ctx != SHMEM_CTX_INVALID) complete_all();
}
void pe_quiet(shmem_ctx_t ctx, int pe) {
  if (ctx == SHMEM_CTX_INVALID) return;
  const armature::Rank rank = world_pe(ctx, pe);
  armature::wait_all(rank);
  armature::fence(rank);
}

void sync(const armature::Team& team) {
  const CollectiveTurn turn(state());
  if (!looks_for_races) return team.barrier();
  const armature::layer::KeepPuts keep;
  team.barrier();
}

void barrier_all() {
  const CollectiveTurn turn(state_of("shmem_barrier_all"));
  armature::wait_all();
  world_of("shmem_barrier_all").barrier();
}

}  // namespace shmem
