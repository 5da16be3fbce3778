#include "job.hpp"

#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <mutex>
#include <string>
#include <vector>

#include <armature/checkpoint.hpp>
#include <armature/checkpoint_memory.hpp>
#include <armature/fence.hpp>
#include <armature/layer/races.hpp>
#include <armature/rmi.hpp>
#include <armature/run.hpp>
#include <armature/virtual.hpp>

#include "armcix.h"
#include "calls.hpp"
#include "communicators.hpp"
#include "groups.hpp"
#include "memory.hpp"
#include "mutexes.hpp"
#include "of_rank.hpp"
#include "pending.hpp"
#include "start_mpi.hpp"
#include "thread_level.hpp"
#include "turn.hpp"

namespace armci {

namespace {

struct Job {
  std::mutex lock;
  int size = 0;
  std::atomic<int> initialised = 0;  // ARMCI_Init calls not yet matched by ARMCI_Finalize
  pid_t owner = 0;                   // a forked child is not a member
  bool leaves_at_exit = false;
  bool was_finalized = false;  // at least once
  bool has_left = false;
};

OfRank<Job> job;

}  // namespace

OfRank<Member> membership;

namespace {

/// Lets go without the collective part.
void let_go() {
  const std::lock_guard held(job->lock);
  membership->world = nullptr;
  job->has_left = true;
  forget_mutexes();
  forget_allocations();
  forget_groups();
}

void leave() {
  // A rank of armci_run_main may be in another process than at first, and leaves when main returns.
  const bool is_member = is_of_rank || job->owner == getpid();
  if (membership->world == nullptr || !is_member) return;
  let_go();
  if (is_of_rank) return;
  if (armature::initialized()) armature::finalize();  // unless armature::run() has left it already
  end_mpi();
}

/// A program that has finished ARMCI may end without armci_msg_finalize; one that ends in between
/// has failed, which is for the launcher to report.
void arrange_to_leave() {
  job->was_finalized = true;
  if (job->leaves_at_exit || is_of_rank) return;
  job->leaves_at_exit = true;
  std::atexit([] {
    if (job->initialised == 0) insisted("exit", [] { leave(); });
  });
}

armature::World& join() {
  if (is_of_rank) {
    if (job->has_left)
      throw armature::Error(armature::Errc::misuse,
                            "this rank has left its job already; it cannot join again");
    return armature::world();
  }
  return join_with_mpi();
}

}  // namespace

void end_main(int status) {
  const char* const missing = job->initialised > 0 ? "ARMCI_Finalize"
                              : status != 0 && !job->was_finalized && !job->has_left ? "ARMCI_Init"
                                                                                     : nullptr;
  if (missing != nullptr)
    armature::abort(status,
                    "main ended with status " + std::to_string(status) + " before " + missing);
  if (!job->has_left) let_go();
}

armature::World& join_now() {
  const std::lock_guard held(job->lock);
  if (membership->world == nullptr) {
    armature::World& world = join();
    armature::layer::do_not_look_for_races();
    membership->me = world.rank();
    job->size = world.size();
    job->owner = getpid();
    membership->world = &world;
  }
  return *membership->world;
}

int processes() {
  if (membership->me < 0) joined();
  return job->size;
}

/// Few programs look at what ARMCI_Init returns, so a job that cannot be joined is also said aloud.
int initialise(const char* call, int level) {
  try {
    check_settings();
    require_thread_level(level);
    joined();
    if (level == multiple) let_threads_call();
    ++job->initialised;
    return ok;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s: %s\n", call, error.what());
    return failed;
  }
}

namespace {

void fence_processes() {
  pending().leave_all();
  armature::fence_all();
}

}  // namespace

}  // namespace armci

using namespace armci;

extern "C" {

int PARMCI_Init(void) { return initialise("ARMCI_Init"); }
int PARMCI_Init_args(int* /*argc*/, char*** /*argv*/) { return initialise("ARMCI_Init"); }
int PARMCI_Init_thread(int requested) { return initialise("ARMCI_Init_thread", requested); }
int PARMCI_Initialized(void) { return job->initialised > 0 ? 1 : 0; }

int PARMCI_Finalize(void) {
  return answered(__func__, in_turn([] {
                    if (job->initialised == 0)
                      throw armature::Error(armature::Errc::misuse, "without ARMCI_Init before it");
                    pending().wait_all();
                    joined().barrier();
                    if (--job->initialised == 0) {
                      forget_mutexes();
                      arrange_to_leave();
                    }
                    return static_cast<int>(ok);
                  }));
}

void ARMCI_Cleanup(void) {}  // nothing outlives a process here, however it ends

void ARMCI_Error(const char* message, int code) {
  const std::string said = message != nullptr ? message : "error";
  armature::abort(code, said + " (" + std::to_string(code) + ")");
}

void armci_die(const char* message, int code) { ARMCI_Error(message, code); }

void armci_die2(const char* message, int code, int second_code) {
  const std::string said = message != nullptr ? message : "error";
  armature::abort(code,
                  said + " (" + std::to_string(code) + ", " + std::to_string(second_code) + ")");
}

void armci_msg_init(int* argc, char*** argv) {
  insisted(__func__, [=] {
    const std::string why_no_mpi = start_mpi(argc, argv);
    joined();
    if (!why_no_mpi.empty() && my_process() == 0)
      std::fprintf(stderr, "armci_msg_init: %s\n", why_no_mpi.c_str());
  });
}

void armci_msg_finalize(void) {
  insisted(__func__, [] { leave(); });
}

int armci_msg_me(void) {
  return insisted(__func__, [] { return my_process(); });
}

int armci_msg_nproc(void) {
  return insisted(__func__, [] { return processes(); });
}

void armci_msg_abort(int code) {
  armature::abort(code, "armci_msg_abort(" + std::to_string(code) + ")");
}

void PARMCI_Barrier(void) {
  insisted(__func__, in_turn([] {
             pending().leave_all();
             joined().barrier();
           }));
}

void PARMCI_Fence(int proc) {
  insisted(__func__, [=] {
    pending().leave_process(proc);
    armature::fence(armature::Rank(proc));
  });
}

void PARMCI_AllFence(void) { insisted(__func__, fence_processes); }

void PARMCI_GroupFence(ARMCI_Group* /*group*/) { insisted(__func__, fence_processes); }

/// Transfers progress by themselves: this takes in what has come from other nodes, and lets other
/// ranks on this thread run.
void PARMCI_Poll(void) {
  insisted(__func__, [] { armature::rmi_poll(); });
}

/// Transfers progress by themselves; other ranks on this thread do not.
void ARMCIX_Progress(void) {
  if (is_of_rank) insisted(__func__, [] { armature::yield(); });
}

int ARMCIX_Checkpoint(const char* directory) {
  return answered(__func__, [=] {
    return armature::checkpoint(directory != nullptr ? directory : "") ? 1 : 0;
  });
}

int ARMCIX_Checkpoint_in_memory(void) {
  return answered(__func__, [] { return armature::checkpoint_in_memory() ? 1 : 0; });
}

int ARMCIX_Checkpoint_skip(const void* memory, std::size_t bytes) {
  return answered(__func__, [=] {
    armature::checkpoint_skip({memory, bytes});
    return 0;
  });
}

int ARMCIX_Checkpoint_keep(const void* memory, std::size_t bytes) {
  return answered(__func__, [=] {
    armature::checkpoint_keep({memory, bytes});
    return 0;
  });
}

int ARMCIX_Checkpoint_only(const void* whole, std::size_t bytes, int count,
                           const void* const* parts, const std::size_t* part_bytes) {
  return answered(__func__, [=] {
    std::vector<armature::CheckpointMemory> kept;
    for (int i = 0; i < count; ++i) kept.emplace_back(parts[i], part_bytes[i]);
    armature::checkpoint_only({whole, bytes}, kept);
    return 0;
  });
}

}  // extern "C"

ARMCI_TWIN(Init);
ARMCI_TWIN(Init_args);
ARMCI_TWIN(Init_thread);
ARMCI_TWIN(Initialized);
ARMCI_TWIN(Finalize);
ARMCI_TWIN(Barrier);
ARMCI_TWIN(Fence);
ARMCI_TWIN(AllFence);
ARMCI_TWIN(GroupFence);
ARMCI_TWIN(Poll);
