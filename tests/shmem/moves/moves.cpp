// A PE that goes to another process keeps its heap, its teams and its contexts.
#include <shmem.h>

#include <cstdio>
#include <cstdlib>

#include <armature/virtual.hpp>

namespace {

void require(bool holds, const char* what) {
  if (holds) return;
  std::fprintf(stderr, "PE %d: not %s\n", shmem_my_pe(), what);
  shmem_global_exit(3);
}

}  // namespace

int main() {
  shmem_init();
  const int me = shmem_my_pe(), pes = shmem_n_pes();
  auto* const a = static_cast<long*>(shmem_calloc(2, sizeof(long)));
  shmem_team_t backwards = SHMEM_TEAM_INVALID;
  shmem_ctx_t ctx = SHMEM_CTX_INVALID;
  shmem_team_split_strided(SHMEM_TEAM_WORLD, pes - 1, -1, pes, nullptr, 0, &backwards);
  shmem_team_create_ctx(backwards, 0, &ctx);

  const int processes = std::atoi(std::getenv("MOVES_PROCESSES"));
  for (int round = 1; round <= 2 * processes; ++round) {
    armature::migrate(armature::ProcessId((me + round) % processes));
    shmem_long_p(a, me + round, (me + 1) % pes);
    shmem_ctx_long_atomic_add(ctx, a + 1, 1, 0);  // of the last PE
    require(shmem_team_sync(backwards) == 0, "in the team");
    shmem_barrier_all();
    require(*a == (me + pes - 1) % pes + round, "the number of the PE before");
    auto* const other = static_cast<long*>(shmem_malloc(sizeof(long)));
    shmem_free(other);
  }
  require(shmem_long_g(a + 1, pes - 1) == 2L * processes * pes, "all that were counted");
  shmem_ctx_destroy(ctx);
  shmem_team_destroy(backwards);
  shmem_free(a);
  shmem_finalize();
  return 0;
}
