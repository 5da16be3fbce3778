#include "main.hpp"

#include <string>

#include <armature/run.hpp>

#include "../main/ranks.hpp"
#include "calls.hpp"
#include "state.hpp"

namespace {

main_body::MainOfRanks main_of_ranks;

/// A program may end without shmem_finalize (OpenSHMEM 1.6, shmem_finalize). One that ends with
/// another status than 0 has failed: the launcher reports it, and nobody is waited for.
void leave(int status) {
  shmem::insisted("exit", [&] {
    if (shmem::state().begun > 0 && status != 0) return;
    shmem::end_rank();
    armature::finalize();
  });
}

}  // namespace

bool shmem::is_of_main() { return main_of_ranks.runs(); }

void shmem::leave_at_exit() { main_body::leave_at_exit<leave>(); }

extern "C" {

/// exit() in a main that shmem_run_main runs; returns where the caller is not in one.
void shmem_exit_main(int status) { main_of_ranks.end(status); }

/// Calls `program`, which is a main, as every rank of this process; returns its exit status.
int shmem_run_main(int argc, char** argv, main_body::Main* program) {
  armature::layer::end_main_by(shmem_exit_main);
  return main_of_ranks.run(
      argc, argv, program, [] {},
      [](int status) {
        if (status != 0 && shmem::state().begun > 0)
          armature::abort(status, "main ended with status " + std::to_string(status) +
                                      " before shmem_finalize");
        shmem::insisted("exit", [] { shmem::end_rank(); });
      });
}

}  // extern "C"
