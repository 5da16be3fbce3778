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

/// As the rank that asks has seen it: all must find the same.
struct Asked {
  std::int32_t process = 0;
  std::int32_t stays = -1;      // the process of which it holds something; -1: of none
  std::uint32_t processes = 0;  // there are
  bool is_of_job = false;
};

Asked ask(const progress::RankContext& me, ProcessId process) {
  const space::ControlHeader& job = me.space.header();
  Asked asked{.process = process.number(), .processes = job.processes};
  if (me.held_here != 0)
    asked.stays = me.space.slot(me.space.me()).process.load(std::memory_order_relaxed);
  const auto regrouped = job.halt.regrouped.load(std::memory_order_acquire);
  asked.is_of_job = asked.process >= 0 && asked.process < static_cast<int>(asked.processes) &&
                    me.space.process_slot(asked.process).belongs(regrouped);
  return asked;
}

std::vector<int> agree(const World& world, const Asked& mine) {
  const std::vector<Asked> all = world.allgather(mine);
  std::vector<int> processes;
  for (int rank = 0; rank < std::ssize(all); ++rank) {
    const Asked& asked = all[static_cast<std::size_t>(rank)];
    if (asked.process < 0 || asked.process >= static_cast<int>(asked.processes))
      base::fail(Errc::bad_argument, fmt::format("{}: rank {} asks for process {}: the job has {}",
                                                 call, rank, asked.process, asked.processes));
    if (!asked.is_of_job)
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
  const std::vector<int> processes = agree(world, ask(me, process));
  if (job.nodes > 1) return hosting::change_nodes(world, processes, call);
  hosting::go_to(process.number());
  world.barrier();
}

}  // namespace armature
