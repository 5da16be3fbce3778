// A C program's main as the body of armature::run, so that ranks may be fibers or threads: what
// libarmci-virtual.a (compat/main) puts in the place of main.

#include <armature/run.hpp>

#include "../main/body.hpp"
#include "job.hpp"
#include "of_rank.hpp"

namespace {

armci::OfRank<main_body::Running> running;

}  // namespace

extern "C" {

/// exit() in a main that armci_run_main runs; returns where the caller is not in one.
void armci_exit_main(int status) {
  if (armature::initialized()) main_body::end(*running, status);
}

/// Calls `program`, which is a main, as every rank of this process; returns its exit status.
int armci_run_main(int argc, char** argv, main_body::Main* program) {
  armci::is_of_rank = true;
  armature::layer::end_main_by(armci_exit_main);
  return armature::run(argc, argv, [=](armature::World& /*world*/) {
    const int status = main_body::status_of(*running, program, argc, argv);
    armci::end_main(status);
    return status;
  });
}

}  // extern "C"
