#include "main.hpp"

#include <unistd.h>

#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <string>

#include <armature/layer/program.hpp>
#include <armature/rank_local.hpp>
#include <armature/run.hpp>
#include <armature/virtual.hpp>

#include "../main/body.hpp"
#include "calls.hpp"
#include "departure.hpp"
#include "hosting.hpp"

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

/// An image that ends without `stop`, by exit(), has stopped. With another status than 0 it has
/// failed: the launcher says so, and nobody is waited for.
void leave(int status, void* owner) {
  // A child has a job of its own, or none.
  const bool is_child = static_cast<pid_t>(reinterpret_cast<std::intptr_t>(owner)) != getpid();
  if (is_child || !armature::initialized()) return;
  caf::insisted("exit", [&] {
    caf::Image& me = caf::image();
    if (!me.is_gone) {
      if (status != 0) return;
      caf::depart(me, caf::Ending::stopped);
    }
    armature::finalize();
  });
}

/// Coarrays are globals, and each image must have its own.
void require_own_globals(main_body::Main* program) {
  if (armature::layer::own(program) != program) return;
  armature::abort(1,
                  "images of a process need globals of their own, which coarrays and module "
                  "variables are: run it "
                  "with `armature run --virtual --private-globals=on`, or by cafrun --virtual");
}

}  // namespace

namespace caf {

void leave_at_exit() {
  static const int once =
      on_exit(leave, reinterpret_cast<void*>(static_cast<std::intptr_t>(getpid())));
  (void)once;
}

void end_image(int status) {
  if (runs_main) main_body::end(running->value, status);
  std::exit(status);
}

}  // namespace caf

extern "C" {

/// Calls `program`, which is a main: as every rank of this process, or once in a process that is an
/// image.
int caf_run_main(int argc, char** argv, main_body::Main* program) {
  if (!caf::hosts_ranks()) return program(argc, argv, environ);
  runs_main = true;
  return armature::run(argc, argv, [=](armature::World& /*world*/) {
    require_own_globals(program);
    const int status = main_body::status_of(running->value, program, argc, argv);
    caf::insisted("exit", [&] {
      caf::Image& me = caf::image();
      if (!me.is_gone && status == 0) caf::depart(me, caf::Ending::stopped);
    });
    return status;
  });
}

/// exit() in a main that caf_run_main runs; returns where the caller is not in one.
void caf_exit_main(int status) {
  if (runs_main && armature::initialized()) main_body::end(running->value, status);
}

}  // extern "C"
