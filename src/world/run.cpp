#include "armature/run.hpp"

#include <atomic>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "armature/mpi.hpp"
#include "base/fail.hpp"
#include "base/runtime.hpp"
#include "bootstrap/mpi_exchange.hpp"
#include "bootstrap/mpi_state.hpp"
#include "failure/crash_report.hpp"
#include "wait/thread_call.hpp"
#include "world/call_body.hpp"
#include "world/hosted_ranks.hpp"
#include "world/job.hpp"
#include "world/process.hpp"
#include "world/simulated_ranks.hpp"
#include "world/virtual_ranks.hpp"
#include "world/world_of.hpp"

namespace armature {
namespace {

struct Course {  // of the process
  Job* job =
      nullptr;  // of its rank. Only finalize ends it: exit() in a rank has nobody to leave with
  std::atomic<bool> has_begun = false;  // run()
  bool has_finalized = false;
};
Course& course() { return base::state<Course>(); }

void require_not_finalized(const char* call) {
  if (course().has_finalized)
    base::fail(
        Errc::misuse,
        fmt::format("{}: this process has left its job already; it cannot join again", call));
}

void leave_for_good() {
  wait::ThreadCall::end_all();
  course().has_finalized = true;
  Process::leave();
  space::Mapping::leave();
}

}  // namespace

World& init() {
  require_not_finalized("init");
  // A thread that joins this way is the process's one thread of control, as C code with its statics
  // is.
  if (Process::hosts_virtual_ranks())
    base::fail(
        Errc::start,
        "init: this process hosts virtual ranks (armature run --virtual), but the program joins "
        "its job with init or ARMCI_Init: run it without --virtual, or let it join with "
        "armature::run (a program for armci.h: link it with pkg-config --libs armci-virtual, one "
        "for shmem.h: oshcc --virtual)");
  if (const int hosted = Process::hosted(); hosted > 1)
    base::fail(Errc::start,
               fmt::format(
                   "init: this process is to host {} ranks (armature run --threads), but "
                   "the program joins its job with init or ARMCI_Init, which can host one "
                   "rank per process: run it without --threads and --simulate, or let it join with "
                   "armature::run (a program for armci.h: link it with pkg-config --libs "
                   "armci-virtual, one for shmem.h: oshcc --virtual)",
                   hosted));
  Job*& job = course().job;
  if (job == nullptr) {
    job = new Job(*Process::join().spaces().front());
    wait::set_sole_rank(&job->context());
    hosting::stay_on_thread();
  }
  return job->world();
}

World& init_mpi(const void* communicator) {
  require_not_finalized("init_mpi");
  if (course().job == nullptr) Process::use_mpi(communicator);
  return init();
}

int mpi_handle_bytes() { return bootstrap::mpi_handle_bytes(); }
void* mpi_symbol(const char* name) { return bootstrap::mpi_symbol(name); }

void finalize() {
  Job*& job = course().job;
  if (job == nullptr)
    base::fail(Errc::misuse, "finalize: this process has not joined a job, or has left it already");
  job->leave();
  hosting::leave_thread();
  wait::ThreadCall::end_all();
  wait::set_sole_rank(nullptr);
  delete std::exchange(job, nullptr);
  leave_for_good();
}

bool initialized() { return wait::current_rank() != nullptr; }

World& world() { return hosting::world_of(wait::this_rank("world")); }

void abort(int status, std::string_view message) {
  failure::die(status, std::string(message).c_str());
}

void end_job(std::string_view message) { failure::end_job(std::string(message).c_str()); }

namespace detail {

// An exception that leaves body is not caught here: nobody catching it, it ends the process where
// it was thrown, with the whole stack there to be shown.
int run(int argc, char** argv, Body body, void* callable) {
  require_not_finalized("run");
  if (course().has_begun.exchange(true)) base::fail(Errc::misuse, "run: called inside run");
  if (Process::hosted() > 1 || Process::simulated() || Process::hosts_virtual_ranks()) {
    const Process& process = Process::join();
    const int status = Process::hosts_virtual_ranks()
                           ? hosting::run_virtual(process, {argc, argv, body, callable})
                       : Process::simulated() ? hosting::simulate(process, body, callable)
                                              : hosting::run(process.spaces(), body, callable);
    leave_for_good();
    return status;
  }
  World& world = init();
  const int status = body(callable, world);
  finalize();
  return status;
}

}  // namespace detail
}  // namespace armature
