#include "armature/locality.hpp"

#include <fmt/format.h>

#include "base/fail.hpp"
#include "progress/rank_context.hpp"

// One node, and every rank a process of its own.

namespace armature {
namespace {

space::AddressSpace& checked(Rank rank, const char* call) {
  space::AddressSpace& space = progress::this_rank(call).space;
  space.require_rank(rank, call);
  return space;
}

}  // namespace

NodeId node_of(Rank rank) {
  (void)checked(rank, "node_of");
  return NodeId(0);
}

ProcessId process_of(Rank rank) {
  (void)checked(rank, "process_of");
  return ProcessId(rank);
}

bool same_node(Rank a, Rank b) { return node_of(a) == node_of(b); }
bool same_process(Rank a, Rank b) { return process_of(a) == process_of(b); }

int domain_count(Domain level) {
  return level == Domain::smp ? 1 : progress::this_rank("domain_count").space.ranks();
}

int domain_of(Domain level, Rank rank) {
  return level == Domain::smp ? node_of(rank).number() : process_of(rank).number();
}

std::vector<Rank> domain_ranks(Domain level, int domain) {
  const int ranks = progress::this_rank("domain_ranks").space.ranks();
  if (domain < 0 || domain >= domain_count(level))
    base::fail(Errc::bad_argument,
               fmt::format("domain_ranks: there is no domain {}: there are {}", domain, domain_count(level)));
  std::vector<Rank> members;
  for (int r = 0; r < ranks; ++r)
    if (domain_of(level, Rank(r)) == domain) members.emplace_back(r);
  return members;
}

}  // namespace armature
