#include "armature/locality.hpp"

#include <fmt/format.h>

#include "base/fail.hpp"
#include "wait/rank_context.hpp"
#include "world/process.hpp"

namespace armature {
namespace {

const space::Mapping& checked(Rank rank, const char* call) {
  const space::Mapping& mapping = wait::mapping(call);
  mapping.require_rank(rank, call);
  return mapping;
}

NodeId node(Rank rank, const char* call) { return NodeId(checked(rank, call).slot(rank).node); }

ProcessId process(Rank rank, const char* call) {
  return ProcessId(checked(rank, call).slot(rank).process);
}

}  // namespace

NodeId node_of(Rank rank) { return node(rank, "node_of"); }
ProcessId process_of(Rank rank) { return process(rank, "process_of"); }

bool same_node(Rank a, Rank b) { return node(a, "same_node") == node(b, "same_node"); }
bool same_process(Rank a, Rank b) {
  return process(a, "same_process") == process(b, "same_process");
}

int connected_processes() {
  const wait::RankContext& me = wait::this_rank("connected_processes");
  const int process = me.space.slot(me.space.me()).process;
  return static_cast<int>(
      me.space.process_slot(process).connections.load(std::memory_order_relaxed));
}

std::uint64_t wire_up_reads() {
  (void)wait::this_rank("wire_up_reads");
  return Process::wire_up_reads();
}

namespace {

/// Throws for a number that is no level.
std::int32_t at_level(const space::Levels& levels, Domain level, const char* call) {
  switch (level) {
    case Domain::core:
      return levels.core;
    case Domain::cache:
      return levels.cache;
    case Domain::numa:
      return levels.numa;
    case Domain::socket:
      return levels.socket;
    case Domain::network_switch:
      return levels.network_switch;
    case Domain::smp:
    case Domain::process:
      break;
  }
  base::fail(Errc::bad_argument, fmt::format("{}: {} is no level", call, static_cast<int>(level)));
}

}  // namespace

int domain_count(Domain level) {
  const space::ControlHeader& job = wait::mapping("domain_count").header();
  if (level == Domain::smp) return static_cast<int>(job.nodes);
  if (level == Domain::process) return static_cast<int>(job.processes);
  return at_level(job.here.levels, level, "domain_count");
}

int domain_of(Domain level, Rank rank) {
  if (level == Domain::smp) return node(rank, "domain_of").number();
  if (level == Domain::process) return process(rank, "domain_of").number();
  const space::Levels& levels = checked(rank, "domain_of").control().levels(rank);
  return at_level(levels, level, "domain_of");
}

std::vector<Rank> domain_ranks(Domain level, int domain) {
  const int ranks = wait::mapping("domain_ranks").ranks();
  if (domain < 0 || domain >= domain_count(level))
    base::fail(Errc::bad_argument, fmt::format("domain_ranks: there is no domain {}: there are {}",
                                               domain, domain_count(level)));
  std::vector<Rank> members;
  for (int r = 0; r < ranks; ++r)
    if (domain_of(level, Rank(r)) == domain) members.emplace_back(r);
  return members;
}

}  // namespace armature
