#include "main.hpp"

#include <atomic>
#include <string>

#include <armature/rank_local.hpp>

#include "../main/body.hpp"
#include "calls.hpp"
#include "state.hpp"

namespace {

/// A rank begins with none that runs.
struct RunningOfRank {
  main_body::Running value;

  RunningOfRank() = default;
  RunningOfRank(const RunningOfRank& /*first*/) {}
  RunningOfRank& operator=(const RunningOfRank&) = delete;
  ~RunningOfRank() = default;
};

armature::rank_local<RunningOfRank> running;
std::atomic<bool> runs_main = false;

}  // namespace

bool shmem::is_of_main() { return runs_main; }

extern "C" {

/// Calls `program`, which is a main, as every rank of this process; returns its exit status.
int shmem_run_main(int argc, char** argv, main_body::Main* program) {
  runs_main = true;
  return armature::run(argc, argv, [=](armature::World& /*world*/) {
    const int status = main_body::status_of(running->value, program, argc, argv);
    if (status != 0 && shmem::state().begun > 0)
      armature::abort(
          status, "main ended with status " + std::to_string(status) + " before shmem_finalize");
    shmem::insisted("exit", [] { shmem::end_rank(); });
    return status;
  });
}

/// exit() in a main that shmem_run_main runs; returns where the caller is not in one.
void shmem_exit_main(int status) {
  if (shmem::is_of_main() && armature::initialized()) main_body::end(running->value, status);
}

}  // extern "C"
