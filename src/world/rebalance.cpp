#include "armature/rebalance.hpp"

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "armature/rank_local.hpp"
#include "armature/virtual.hpp"
#include "base/fail.hpp"
#include "progress/rank_context.hpp"
#include "virtual/addresses.hpp"
#include "virtual/rank_scheduler.hpp"
#include "world/change_nodes.hpp"

namespace armature {
namespace {

/// What each rank tells the others.
struct Measured {
  double load = 0;
  std::int32_t process = 0;
  std::uint32_t stays = 0, was_measured = 0;
};

struct Before {
  std::uint64_t busy_ns = 0;
  bool was_measured = false;
};
rank_local<Before> last_time;

Measured measure(const progress::RankContext& me) {
  static_cast<fibers::RankScheduler*>(me.scheduler)->measure_ranks();
  const space::RankSlot& slot = me.space.slot(me.space.me());
  const std::uint64_t busy_ns = slot.busy_ns.load(std::memory_order_relaxed);
  const Before before = std::exchange(*last_time, {busy_ns, true});
  // In a job that was restarted it begins anew.
  const std::uint64_t since_ns = busy_ns >= before.busy_ns ? busy_ns - before.busy_ns : busy_ns;
  return {.load = static_cast<double>(since_ns) * 1e-9,
          .process = slot.process.load(std::memory_order_relaxed),
          .stays = me.held_here,
          .was_measured = before.was_measured || me.space.header().balance != 0 ? 1u : 0u};
}

/// The processes of the job; places are numbered as they stand here.
std::vector<int> processes_of(const space::Mapping& mapping, const std::vector<Measured>& all) {
  std::vector<bool> is_there(mapping.header().processes);
  const std::uint32_t regrouped = mapping.header().halt.regrouped.load(std::memory_order_acquire);
  for (int p = 0; p < static_cast<int>(is_there.size()); ++p)
    is_there[static_cast<std::size_t>(p)] = mapping.process_slot(p).belongs(regrouped);
  for (const Measured& one : all) is_there[static_cast<std::size_t>(one.process)] = true;
  std::vector<int> processes;
  for (int p = 0; p < static_cast<int>(is_there.size()); ++p)
    if (is_there[static_cast<std::size_t>(p)]) processes.push_back(p);
  return processes;
}

/// By one, so that all know the same: some may come and go just now.
std::vector<int> agree_on_processes(const World& world, const std::vector<Measured>& all) {
  std::vector<int> processes;
  if (world.rank() == 0) processes = processes_of(progress::mapping("rebalance"), all);
  processes.resize(static_cast<std::size_t>(world.broadcast(std::ssize(processes), 0)));
  world.broadcast<int>(processes, 0);
  return processes;
}

balance::Problem problem_of(const std::vector<int>& processes, const std::vector<Measured>& all) {
  balance::Problem problem{.places = static_cast<int>(processes.size())};
  for (const Measured& one : all) {
    int place = 0;
    while (processes[static_cast<std::size_t>(place)] != one.process) ++place;
    problem.items.push_back({.load = one.load, .place = place});
  }
  return problem;
}

/// It may have left meanwhile: then its rank has been moved by somebody else, and stays there.
void go_to(int process) {
  try {
    migrate(ProcessId(process));
  } catch (const Error& error) {
    if (error.code() != Errc::bad_argument) throw;
  }
}

/// The plan in numbers of processes.
std::vector<int> processes_by(const balance::Plan& plan, const std::vector<int>& processes) {
  std::vector<int> by_rank;
  for (const int place : plan) by_rank.push_back(processes[static_cast<std::size_t>(place)]);
  return by_rank;
}

void go(const World& world, const std::vector<Measured>& all, const std::vector<int>& to) {
  const auto moves = [&](const Measured& one) {
    return one.process != to[static_cast<std::size_t>(&one - all.data())];
  };
  if (progress::mapping("rebalance").header().nodes > 1) {
    if (std::any_of(all.begin(), all.end(), moves)) hosting::change_nodes(world, to, "rebalance");
    return;
  }
  const auto me = static_cast<std::size_t>(world.rank());
  if (moves(all[me])) go_to(to[me]);
  world.barrier();
}

void log(const balance::Problem& problem, const balance::Plan& plan, bool was_measured) {
  if (was_measured)
    std::fprintf(stderr, "ranks: %s\n", balance::explain(problem, plan).c_str());
  else
    std::fputs("ranks: balance: they are measured from now on, until now nothing is known\n",
               stderr);
}

}  // namespace

balance::Verdict rebalance(const World& world, const RebalanceOptions& options) {
  const progress::RankContext& me = progress::this_rank("rebalance");
  if (me.space.header().ranks_are_virtual == 0)
    base::fail(Errc::misuse, "rebalance: only virtual ranks can move (armature run --virtual)");
  (void)can_migrate();  // waits until all processes have joined
  if (const char* why = fibers::why_not_move_together(me.space.header()))
    base::fail(Errc::misuse, fmt::format("rebalance: {}", why));
  world.barrier();
  const std::vector<Measured> all = world.allgather(measure(me));
  const std::vector<int> processes = agree_on_processes(world, all);
  const balance::Problem problem = problem_of(processes, all);
  const bool was_measured = all.front().was_measured != 0;
  balance::Plan plan = was_measured ? options.strategy(problem) : balance::none(problem);
  (void)balance::judge(problem, plan);  // refuses what is no plan
  for (std::size_t rank = 0; rank < all.size(); ++rank)
    if (all[rank].stays != 0) plan[rank] = problem.items[rank].place;
  if (world.rank() == 0) {
    if (options.log) log(problem, plan, was_measured);
    if (!options.record.empty() && was_measured) balance::record(problem, options.record);
  }
  go(world, all, processes_by(plan, processes));
  return balance::judge(problem, plan);
}

}  // namespace armature
