#include "job.h"

#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <string>

#include <armature/armature.hpp>
#include <armature/checkpoint.hpp>
#include <armature/locality.hpp>
#include <armature/virtual.hpp>

namespace {

bool is_one_node(const armature::World& world) {
  for (int rank = 1; rank < world.size(); ++rank)
    if (!same_node(armature::Rank(0), armature::Rank(rank))) return false;
  return true;
}

}  // namespace

void job_move(int round) {
  armature::World& world = armature::world();
  const int processes = armature::hosting_processes();
  const int to = (static_cast<int>(world.rank()) + round) % processes;
  if (round % 2 == 0)
    armature::migrate_together(armature::ProcessId(to));
  else if (is_one_node(world))
    armature::migrate(armature::ProcessId(to));
  world.barrier();
}

void job_stop(int me) {
  if (std::getenv("ARMATURE_CHECKPOINT") == nullptr || armature::checkpoint()) return;
  armature::world().barrier();
  if (me == 0) {
    std::puts("stopped");
    std::fflush(stdout);
    _exit(9);
  }
  armature::world().barrier();
}

void job_need(int holds, const char* what) {
  if (holds == 0)
    armature::abort(
        1, "rank " + std::to_string(static_cast<int>(armature::world().rank())) + ": " + what);
}

void job_well(int me) {
  armature::world().barrier();
  if (me == 0) std::puts("all well");
}
