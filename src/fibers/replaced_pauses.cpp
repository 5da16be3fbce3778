// A program that looks at memory until another rank has written there gives its core away between
// two looks, or sleeps. The other rank may be one of the same process, which runs in turn with it.
#include "fibers/replaced_pauses.hpp"

#include <sched.h>
#include <time.h>
#include <unistd.h>

#include "wait/rank_context.hpp"
#include "wait/wait.hpp"

namespace armature::fibers {
namespace {

/// Threads that a rank has started have no turn to give away.
bool let_others_run() {
  if (!wait::runs_rank()) return false;
  const wait::RankContext& me = wait::this_rank("yield");
  if (me.scheduler == nullptr) return false;
  me.scheduler->yield(false);
  return true;
}

int give_core_away() { return let_others_run() ? 0 : sched_yield(); }

unsigned sleep_seconds(unsigned seconds) {
  (void)let_others_run();
  return sleep(seconds);
}

int sleep_microseconds(useconds_t microseconds) {
  (void)let_others_run();
  return usleep(microseconds);
}

int sleep_for(const timespec* wanted, timespec* left) {
  (void)let_others_run();
  return nanosleep(wanted, left);
}

}  // namespace

void replace_pauses(image::Plan& plan) {
  plan.replace("sched_yield", give_core_away);
  plan.replace("sleep", sleep_seconds);
  plan.replace("usleep", sleep_microseconds);
  plan.replace("nanosleep", sleep_for);
}

}  // namespace armature::fibers
