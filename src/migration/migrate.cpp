#include <cerrno>

#include <fmt/format.h>

#include "armature/virtual.hpp"
#include "base/fail.hpp"
#include "fibers/rank_scheduler.hpp"
#include "migration/addresses.hpp"
#include "net/network.hpp"
#include "wait/wait.hpp"

namespace armature {
namespace {

const space::ControlHeader& job_of(const wait::RankContext& me, const char* call) {
  const space::ControlHeader& job = me.space.header();
  if (job.ranks_are_virtual == 0)
    base::fail(Errc::misuse,
               fmt::format("{}: only virtual ranks can move (armature run --virtual)", call));
  return job;
}

/// Only then is it known whether the processes are alike.
void await_all_processes(const space::ControlHeader& job, const char* call) {
  wait::WaitFor wait{.what = space::Awaiting::completion, .is_notified = false, .call = call};
  wait::wait_until(wait, [&] { return job.all_have_joined(); });
}

void require_of_job(const wait::RankContext& me, int process) {
  if (!me.space.process_slot(process).belongs(
          me.space.header().quiesce.epoch.entered.load(std::memory_order_acquire)))
    base::fail(Errc::bad_argument,
               fmt::format("migrate: process {} is not of the job any more", process));
}

/// Whether all that the rank has sent to other nodes has been handled there, and the other process
/// takes ranks.
bool is_settled(const wait::RankContext& me, int process) {
  net::Network* const net = net::network();
  return (net == nullptr || net->flush().is_over(me.space.me())) &&
         fibers::takes_ranks(*space::Mapping::of_process(), process);
}

[[gnu::noinline]] void wait_until_settled(const wait::RankContext& me, int process) {
  wait::WaitFor wait{.what = space::Awaiting::completion, .is_notified = false, .call = "migrate"};
  // Once more after each wait: others may have had their turns since it was over.
  while (!is_settled(me, process))
    wait::wait_until(wait, [&] {
      require_of_job(me, process);
      if (net::Network* const net = net::network()) net->try_poll();
      return is_settled(me, process);
    });
}

}  // namespace

bool can_migrate() {
  const wait::RankContext& me = wait::this_rank("can_migrate");
  const space::ControlHeader& job = me.space.header();
  if (job.ranks_are_virtual == 0) return false;
  await_all_processes(job, "can_migrate");
  return me.tie() == space::Tie::none && migration::why_not_move(job) == nullptr;
}

void migrate(ProcessId process) {
  const wait::RankContext& me = wait::this_rank("migrate");
  const space::ControlHeader& job = job_of(me, "migrate");
  if (process.number() < 0 || process.number() >= static_cast<int>(job.processes))
    base::fail(Errc::bad_argument, fmt::format("migrate: there is no process {}: the job has {}",
                                               process.number(), job.processes));
  require_of_job(me, process.number());
  const std::atomic<std::int32_t>& here = me.space.slot(me.space.me()).process;
  if (process.number() == here.load(std::memory_order_relaxed)) return;
  if (me.space.process_slot(process.number()).node != job.node)
    base::fail(Errc::bad_argument,
               fmt::format("migrate: process {} is on another node, where ranks go when all take "
                           "part: rebalance, migrate_together",
                           process.number()));
  if (const space::Tie tie = me.tie(); tie != space::Tie::none)
    base::fail(Errc::misuse, fmt::format("migrate: the rank {}, which cannot move: the rank stays",
                                         space::text(tie)));
  await_all_processes(job, "migrate");
  if (const char* why = migration::why_not_move(job))
    base::fail(Errc::misuse, fmt::format("migrate: the rank stays: {}", why));
  const int error_number = errno;  // which the network does not mind
  if (!is_settled(me, process.number())) wait_until_settled(me, process.number());
  errno = error_number;
  // Another process that had nothing to do may have been given this rank meanwhile.
  if (process.number() == here.load(std::memory_order_relaxed)) return;
  if (!static_cast<fibers::RankScheduler*>(me.scheduler)->move(process.number()))
    base::fail(Errc::out_of_memory, fmt::format("migrate: the rank {}: the rank stays",
                                                space::text(space::Tie::no_room)));
}

Pinned::Pinned() { ++wait::this_rank("Pinned").held_here; }
Pinned::~Pinned() {
  if (wait::RankContext* me = wait::current_rank()) --me->held_here;
}

}  // namespace armature

// deprecated: Pinned was called StaysHere by programs that were compiled before.
#pragma GCC diagnostic ignored "-Wattribute-alias"
extern "C" {
ARMATURE_API void _ZN8armature9StaysHereC1Ev() __attribute__((alias("_ZN8armature6PinnedC1Ev")));
ARMATURE_API void _ZN8armature9StaysHereC2Ev() __attribute__((alias("_ZN8armature6PinnedC2Ev")));
ARMATURE_API void _ZN8armature9StaysHereD1Ev() __attribute__((alias("_ZN8armature6PinnedD1Ev")));
ARMATURE_API void _ZN8armature9StaysHereD2Ev() __attribute__((alias("_ZN8armature6PinnedD2Ev")));
}
