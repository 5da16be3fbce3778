#include <algorithm>
#include <vector>

#include <fmt/format.h>

#include "armature/collectives.hpp"
#include "armature/virtual.hpp"
#include "armature/world.hpp"
#include "base/fail.hpp"
#include "migration/addresses.hpp"
#include "wait/rank_context.hpp"
#include "wait/wait.hpp"
#include "world/change_nodes.hpp"
#include "world/gather_first.hpp"
#include "world/restart.hpp"
#include "world/world_of.hpp"

namespace armature {
namespace {

constexpr const char* call = "migrate_together";

/// The rank's own view when it asks.
struct Asked {
  std::int32_t process = 0;
  std::int32_t stays = -1;  // the process that it is tied to; -1: to none
  space::Tie tie = space::Tie::none;
  std::uint32_t processes = 0;  // there are
  bool is_of_job = false;

  [[nodiscard]] bool is_a_process() const {
    return process >= 0 && process < static_cast<int>(processes);
  }
  [[nodiscard]] bool may_go() const {
    return is_a_process() && is_of_job && (stays < 0 || process == stays);
  }
};

Asked ask(const wait::RankContext& me, ProcessId process) {
  const space::ControlHeader& job = me.space.header();
  Asked asked{.process = process.number(), .processes = job.processes};
  asked.tie = me.tie();
  if (asked.tie != space::Tie::none)
    asked.stays = me.space.slot(me.space.me()).process.load(std::memory_order_relaxed);
  const auto reconfigured = job.quiesce.epoch.entered.load(std::memory_order_acquire);
  asked.is_of_job =
      asked.is_a_process() && me.space.process_slot(asked.process).belongs(reconfigured);
  return asked;
}

[[noreturn]] void refuse(int rank, const Asked& asked) {
  if (!asked.is_a_process())
    base::fail(Errc::bad_argument, fmt::format("{}: rank {} asks for process {}: the job has {}",
                                               call, rank, asked.process, asked.processes));
  if (!asked.is_of_job)
    base::fail(Errc::bad_argument,
               fmt::format("{}: rank {} asks for process {}, which is not of the job any more",
                           call, rank, asked.process));
  base::fail(Errc::misuse, fmt::format("{}: rank {} {}, which cannot move: all ranks stay", call,
                                       rank, space::text(asked.tie)));
}

/// Finds out where each goes, at rank 0. Throws on all where one of them cannot.
std::vector<int> agree(const World& world, const Asked& mine) {
  const std::vector<Asked> all = hosting::gather_first(world, mine);
  struct Refused {
    int rank;
    Asked asked;
  } refused{-1, {}};
  const auto bad = std::ranges::find_if_not(all, &Asked::may_go);
  if (bad != all.end()) refused = {static_cast<int>(bad - all.begin()), *bad};
  refused = broadcast(world, refused, 0);
  if (refused.rank >= 0) refuse(refused.rank, refused.asked);
  std::vector<int> processes;
  for (const Asked& asked : all) processes.push_back(asked.process);
  return processes;
}

}  // namespace

void migrate_together(ProcessId process) {
  const wait::RankContext& me = wait::this_rank(call);
  const space::ControlHeader& job = me.space.header();
  const World& world = hosting::world_of(me);
  if (job.ranks_are_virtual == 0)
    base::fail(Errc::misuse,
               fmt::format("{}: only virtual ranks can move (armature run --virtual)", call));
  (void)can_migrate();  // waits until all processes have joined
  if (const char* why = migration::why_not_move(job))
    base::fail(Errc::misuse, fmt::format("{}: the ranks stay: {}", call, why));
  // Processes may be fewer now than when it was asked for: then it stays.
  const bool was_of_job = ask(me, process).is_of_job;
  const bool is_anew = hosting::restart_if_wanted(world, call);
  if (is_anew ? process.number() >= static_cast<int>(job.processes)
              : was_of_job && !ask(me, process).is_of_job)
    process = ProcessId(me.space.slot(world.rank()).process.load(std::memory_order_relaxed));
  world.barrier();
  const std::vector<int> processes = agree(world, ask(me, process));
  if (job.nodes > 1) return hosting::change_nodes(world, processes, call);
  const int home = me.space.slot(world.rank()).process.load(std::memory_order_relaxed);
  const int nobody = world.size();
  const bool has_gone = hosting::go_to(process.number());
  const int refused = allreduce(world, has_gone ? nobody : world.rank(), Minimum());
  if (refused == nobody) return;
  (void)hosting::go_to(home);
  world.barrier();
  base::fail(Errc::out_of_memory, fmt::format("{}: rank {} {}: all ranks stay", call, refused,
                                              space::text(space::Tie::no_room)));
}

}  // namespace armature
