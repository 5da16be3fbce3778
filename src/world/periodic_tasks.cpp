// "Every ten seconds" among ranks that cannot be stopped between any two instructions: they agree
// in a call that all make. Rank 0's clock decides, and one broadcast tells; a clock for each would
// let some go into a checkpoint and others not.
//
// The control block, not rank 0, keeps when something was last done. So the launcher of a job on
// one node, which does it by itself, and the program never both do it in one interval; and rank 0
// may move. On several nodes each block has it, by the clock of its node.
//
// Checkpoints in memory are due in the call that asks for those on disk, but by the launcher alone
// where that can have all quiesce: on one node. The first is due at once, since until then there is
// nothing to roll back to.
#include "world/periodic_tasks.hpp"

#include <chrono>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <initializer_list>

#include <fmt/format.h>

#include "armature/collectives.hpp"
#include "base/clock.hpp"
#include "base/runtime.hpp"
#include "base/variable.hpp"
#include "bootstrap/environment.hpp"
#include "wait/rank_context.hpp"
#include "world/restart.hpp"

namespace armature::hosting {
namespace {

std::uint64_t read_ns(const char* variable) {
  return static_cast<std::uint64_t>(
      base::duration_variable(variable).value_or(std::chrono::nanoseconds(0)).count());
}

/// 0: never. Read once.
struct Intervals {
  std::uint64_t checkpoint_ns = read_ns(bootstrap::checkpoint_every_variable);
  std::uint64_t copy_ns = read_ns(bootstrap::copy_every_variable);
  std::uint64_t rebalance_ns = read_ns(bootstrap::rebalance_every_variable);
};

std::uint64_t interval_ns(PeriodicTask task) {
  const Intervals& all = base::state<Intervals>();
  if (task == PeriodicTask::checkpoint) return all.checkpoint_ns;
  return task == PeriodicTask::copy ? all.copy_ns : all.rebalance_ns;
}

space::Recurring& recurring(space::ControlHeader& job, PeriodicTask task) {
  if (task == PeriodicTask::checkpoint) return job.every.checkpoints;
  return task == PeriodicTask::copy ? job.every.copies : job.every.rebalances;
}

/// Called by rank 0.
bool take(space::ControlHeader& job, PeriodicTask task) {
  space::Recurring& work = recurring(job, task);
  const std::uint64_t now_ns = base::now_ns(), every_ns = interval_ns(task);
  if (task == PeriodicTask::copy) {
    if (every_ns == 0 || job.nodes == 1 || job.settings.keeps_copies == 0) return false;
    if (job.quiesce.copy.load(std::memory_order_acquire) == 0) return true;
  }
  if (task == PeriodicTask::checkpoint &&
      job.quiesce.requests.load(std::memory_order_relaxed) != 0 &&
      job.quiesce.requests.exchange(0, std::memory_order_relaxed) != 0) {
    work.last_ns.store(now_ns, std::memory_order_release);
    return true;
  }
  // A simulation has a clock of its own.
  return every_ns != 0 && job.simulation.on == 0 && work.take(every_ns, job.started_ns, now_ns);
}

struct Watched {
  const space::Mapping* mapping = nullptr;
  int process = 0;
};

/// Only what is safe in a handler, which is installed when there is something to watch.
void on_request(int /*signal*/) {
  const auto& [mapping, process] = *base::Runtime::here().find<Watched>();
  if (mapping->is_here(0) && mapping->slot(0).process.load(std::memory_order_relaxed) == process)
    mapping->header().quiesce.requests.fetch_add(1, std::memory_order_relaxed);
}

}  // namespace

namespace {

/// Marks the task in what rank 0 tells.
constexpr unsigned bit(PeriodicTask task) { return 1u << static_cast<unsigned>(task); }

unsigned due(const World& world, std::initializer_list<PeriodicTask> tasks, const char* call) {
  space::ControlHeader& job = wait::mapping(call).header();
  constexpr unsigned looks = 1u << 7;
  (void)interval_ns(PeriodicTask::checkpoint);  // all throw, or nobody
  unsigned told = 0;
  for (const PeriodicTask task : tasks) {
    std::atomic<std::uint32_t>& is_asked_for = recurring(job, task).is_asked_for;
    if (is_asked_for.load(std::memory_order_relaxed) == 0)
      is_asked_for.store(1, std::memory_order_relaxed);
    if (world.rank() == 0 && take(job, task)) told |= bit(task);
  }
  if (world.rank() == 0 && is_time_to_look(wait::mapping(call))) told |= looks;
  told = broadcast(world, static_cast<std::uint8_t>(told), 0);
  if ((told & looks) != 0) (void)restart_if_wanted(world, call);
  return told;
}

}  // namespace

Due due_checkpoints(const World& world, const char* call) {
  const unsigned told = due(world, {PeriodicTask::checkpoint, PeriodicTask::copy}, call);
  return {(told & bit(PeriodicTask::checkpoint)) != 0, (told & bit(PeriodicTask::copy)) != 0};
}

bool is_rebalance_due(const World& world, const char* call) {
  return (due(world, {PeriodicTask::rebalance}, call) & bit(PeriodicTask::rebalance)) != 0;
}

void require_intervals() { (void)interval_ns(PeriodicTask::checkpoint); }

void note_rebalance(space::ControlHeader& job) {
  job.every.rebalances.last_ns.store(base::now_ns(), std::memory_order_release);
}

void take_requests_by_signal(const space::Mapping& mapping, int process) {
  struct sigaction old {};
  if (std::getenv("ARMATURE_CHECKPOINT") == nullptr || sigaction(SIGUSR2, nullptr, &old) != 0 ||
      (old.sa_flags & SA_SIGINFO) != 0 || old.sa_handler != SIG_DFL)
    return;
  base::state<Watched>() = {&mapping, process};
  struct sigaction action {};
  action.sa_handler = on_request;
  action.sa_flags = static_cast<int>(SA_RESTART | SA_ONSTACK);
  sigemptyset(&action.sa_mask);
  sigaction(SIGUSR2, &action, nullptr);
}

void say_what_was_never_asked_for(const space::ControlHeader& job) {
  if (job.nodes == 1 && job.launcher.is_there != 0) return;  // which has done it
  const auto say = [](const std::string& why, const char* what, const char* call) {
    std::fputs(fmt::format("armature: {}, but {}: the program says where in its course that can "
                           "be, and has never called {} with .when_due = true\n",
                           why, what, call)
                   .c_str(),
               stderr);
  };
  const bool never = job.every.checkpoints.is_asked_for.load(std::memory_order_relaxed) == 0;
  constexpr const char* not_written = "no checkpoint was written for that";
  if (never && interval_ns(PeriodicTask::copy) != 0 && job.nodes > 1 &&
      job.settings.keeps_copies != 0)
    say(fmt::format("{} (--copy-every) is set", bootstrap::copy_every_variable),
        "no checkpoint in memory was made for that", "armature::checkpoint");
  if (never && interval_ns(PeriodicTask::checkpoint) != 0)
    say(fmt::format("{} (--checkpoint-every) is set", bootstrap::checkpoint_every_variable),
        not_written, "armature::checkpoint");
  else if (never && job.quiesce.requests.load(std::memory_order_relaxed) != 0)
    say("SIGUSR2 has come", not_written, "armature::checkpoint");
  if (job.every.rebalances.is_asked_for.load(std::memory_order_relaxed) == 0 &&
      interval_ns(PeriodicTask::rebalance) != 0)
    say(fmt::format("{} (--rebalance-every) is set", bootstrap::rebalance_every_variable),
        "ranks have stayed where they were", "armature::rebalance");
}

}  // namespace armature::hosting
