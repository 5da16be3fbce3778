// Processes that leave a job of several nodes are to host no rank any more, and those that come are
// to host some: ranks change nodes for that as they do in migrate_together. What else there is to
// it is the business of elastic/leave.cpp and elastic/come.cpp.
#include "world/change_processes.hpp"

#include <algorithm>
#include <cstdint>
#include <tuple>
#include <vector>

#include <fmt/format.h>

#include "armature/collectives.hpp"
#include "armature/error.hpp"
#include "balance/in_rows.hpp"
#include "base/message.hpp"
#include "fibers/rank_record.hpp"
#include "wait/rank_context.hpp"
#include "world/gather_first.hpp"

namespace armature::hosting {
namespace {

/// A rank's word of itself.
struct RankReport {
  double load = 0;
  std::int32_t process = 0;
  space::Tie tie = space::Tie::none;
};

RankReport report_of(const wait::RankContext& me) {
  const space::RankSlot& slot = me.space.slot(me.space.me());
  return {.load = fibers::load_of(slot.load.busy_ns.load(std::memory_order_relaxed)),
          .process = slot.process.load(std::memory_order_relaxed),
          .tie = me.tie()};
}

/// Those that host ranks then, each node's in a row.
std::vector<int> those_who_host(const space::Mapping& mapping, const ProcessChange& change) {
  const std::uint32_t reconfigured =
      mapping.header().quiesce.epoch.entered.load(std::memory_order_acquire);
  std::vector<int> members = change.coming;
  for (int process = 0; process < static_cast<int>(mapping.header().processes); ++process)
    if (mapping.process_slot(process).belongs(reconfigured) &&
        std::ranges::find(change.leaving, process) == change.leaving.end())
      members.push_back(process);
  std::ranges::sort(members, {}, [&](int process) {
    return std::tuple(mapping.process_slot(process).node, process);
  });
  return members;
}

/// The new places of ranks; each stays that holds something of its process.
struct Plan {
  std::vector<int> processes;  // of each rank
  std::string problem;
};

Plan plan(const space::Mapping& mapping, const std::vector<RankReport>& ranks,
          const ProcessChange& change) {
  Plan made;
  const std::vector<int> members = those_who_host(mapping, change);
  std::vector<double> loads;
  std::vector<int> kept;
  for (std::size_t rank = 0; rank < ranks.size(); ++rank) {
    const RankReport& one = ranks[rank];
    const auto place = std::ranges::find(members, one.process);
    const bool stays = one.tie != space::Tie::none;
    if (stays && place == members.end()) {
      made.problem = fmt::format("rank {} {}, which cannot move", rank, space::text(one.tie));
      return made;
    }
    loads.push_back(one.load);
    kept.push_back(stays ? static_cast<int>(place - members.begin()) : -1);
  }
  const auto places = balance::in_rows(loads, kept, static_cast<int>(members.size()));
  for (const int place : places) made.processes.push_back(members[static_cast<std::size_t>(place)]);
  return made;
}

std::string broadcast_text(const World& world, std::string text) {
  text.resize(broadcast(world, text.size(), 0));
  broadcast<char>(world, text, 0);
  return text;
}

}  // namespace

std::string change_processes(const World& world, const ProcessChange& change, const char* call) {
  const wait::RankContext& me = wait::this_rank(call);
  const std::vector<RankReport> ranks = gather_first(world, report_of(me));
  Plan made;
  if (world.rank() == 0) made = plan(wait::mapping(call), ranks, change);
  if (std::string problem = broadcast_text(world, made.problem); !problem.empty()) return problem;
  try {
    change_nodes(world, made.processes, change, call);
  } catch (const Error& error) {
    return std::string(base::without_start(error.what()));
  }
  return {};
}

}  // namespace armature::hosting
