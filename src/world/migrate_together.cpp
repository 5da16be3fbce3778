#include <vector>

#include <fmt/format.h>

#include "armature/virtual.hpp"
#include "armature/world.hpp"
#include "base/fail.hpp"
#include "progress/rank_context.hpp"
#include "progress/wait.hpp"
#include "virtual/addresses.hpp"
#include "world/change_nodes.hpp"
#include "world/start_anew.hpp"

namespace armature {
namespace {

constexpr const char* call = "migrate_together";

struct Asked {
  std::int32_t process = 0;
  std::int32_t stays = -1;  // the process of which it holds something; -1: of none
};

std::vector<int> agree(const World& world, const progress::RankContext& me, ProcessId process) {
  const space::ControlHeader& job = me.space.header();
  const int here = me.space.slot(me.space.me()).process.load(std::memory_order_relaxed);
  const std::vector<Asked> all =
      world.allgather(Asked{process.number(), me.held_here != 0 ? here : -1});
  std::vector<int> processes;
  for (int rank = 0; rank < std::ssize(all); ++rank) {
    const Asked& asked = all[static_cast<std::size_t>(rank)];
    if (asked.process < 0 || asked.process >= static_cast<int>(job.processes))
      base::fail(Errc::bad_argument, fmt::format("{}: rank {} asks for process {}: the job has {}",
                                                 call, rank, asked.process, job.processes));
    const space::ProcessSlot& there = progress::mapping(call).process_slot(asked.process);
    if (!there.belongs(job.halt.regrouped.load(std::memory_order_acquire)))
      base::fail(Errc::bad_argument,
                 fmt::format("{}: rank {} asks for process {}, which is not of the job any more",
                             call, rank, asked.process));
    if (asked.stays >= 0 && asked.process != asked.stays)
      base::fail(Errc::misuse, fmt::format("{}: rank {} holds something of its process "
                                           "(StaysHere), which cannot move: all ranks stay",
                                           call, rank));
    processes.push_back(asked.process);
  }
  return processes;
}

}  // namespace

void migrate_together(ProcessId process) {
  const progress::RankContext& me = progress::this_rank(call);
  const space::ControlHeader& job = me.space.header();
  const World& world = *me.world;
  if (job.ranks_are_virtual == 0)
    base::fail(Errc::misuse,
               fmt::format("{}: only virtual ranks can move (armature run --virtual)", call));
  (void)can_migrate();  // waits until all processes have joined
  if (const char* why = fibers::why_not_move(job))
    base::fail(Errc::misuse, fmt::format("{}: the ranks stay: {}", call, why));
  // There may be fewer now than when it was asked for: then it stays.
  if (hosting::start_anew_if_wanted(world, call) &&
      process.number() >= static_cast<int>(job.processes))
    process = ProcessId(me.space.slot(world.rank()).process.load(std::memory_order_relaxed));
  world.barrier();
  const std::vector<int> processes = agree(world, me, process);
  if (job.nodes > 1) return hosting::change_nodes(world, processes, call);
  migrate(process);
  world.barrier();
}

}  // namespace armature
