#include "main.hpp"

#include <cstdlib>

#include <armature/layer/program.hpp>
#include <armature/run.hpp>

#include "../main/ranks.hpp"
#include "calls.hpp"
#include "departure.hpp"
#include "hosting.hpp"

namespace {

main_body::MainOfRanks main_of_ranks;

/// The image stops, unless it has by now. With another status than 0 it has failed: the launcher
/// says so, and nobody is waited for.
bool stop(int status) {
  caf::Image& me = caf::image();
  if (me.is_gone) return true;
  if (status != 0) return false;
  caf::depart(me, caf::Ending::stopped);
  return true;
}

/// An image that ends without `stop`, by exit(), has stopped.
void leave(int status) {
  caf::insisted("exit", [&] {
    if (stop(status)) armature::finalize();
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
  static const bool once = (main_body::leave_at_exit<leave>(), true);
  (void)once;
}

void end_image(int status) {
  main_of_ranks.end(status);
  std::exit(status);
}

}  // namespace caf

extern "C" {

/// exit() in a main that caf_run_main runs; returns where the caller is not in one.
void caf_exit_main(int status) { main_of_ranks.end(status); }

/// Calls `program`, which is a main: as every rank of this process, or once in a process that is an
/// image.
int caf_run_main(int argc, char** argv, main_body::Main* program) {
  if (!caf::hosts_ranks()) return program(argc, argv, environ);
  armature::layer::end_main_by(caf_exit_main);
  return main_of_ranks.run(
      argc, argv, program, [=] { require_own_globals(program); },
      [](int status) { caf::insisted("exit", [&] { (void)stop(status); }); });
}

}  // extern "C"
