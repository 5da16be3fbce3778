#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <vector>

#include <armature/rank.hpp>
#include <armature/team.hpp>

#include "armci.h"

// A caller's ARMCI_Group is 32 or 40 bytes, depending on the flavour its object file was made with,
// and may be copied like any struct. So a group stands here as teams, and the caller's struct holds
// its number, at the one place that no flavour uses for anything a caller looks at (see
// docs/decisions/armci-group-layout.md). Numbers are never used twice: a freed group is recognised.

namespace armci {

/// A group that the caller is in.
struct Group {
  armature::Team all;
  // Teams of scopes, by their members. Ranks of armci_run_main may change nodes: then others are of
  // a scope, and those have a team in common if all of them, and not just some, have used it.
  std::map<std::vector<armature::Rank>, armature::Team> scopes;
  std::map<int, const armature::Team*> known;  // by scope, where ranks stay on their nodes
  std::uintptr_t communicator = 0;             // the bits of its MPI_Comm, where there is an MPI
};

/// Writes a new group to the caller's struct. An empty team makes a group that the caller is not
/// in.
void make_group(ARMCI_Group* created, armature::Team team);

/// Null if it is a group that the caller is not in. Throws Error(misuse) if it is no group.
std::shared_ptr<Group> find_group(const ARMCI_Group* group);
/// The group's team; throws Error(misuse) also if the caller is not in it.
armature::Team team_of(const ARMCI_Group* group);
std::shared_ptr<Group> world_group();
/// Lets go of all groups, before the job is left.
void forget_groups();

/// Returns the members of a scope (SCOPE_...) within a group, in the group's order. SCOPE_MASTERS
/// has the first one of each node, whether or not that is the caller. Throws Error(bad_argument).
std::vector<armature::Rank> members_of(const Group& group, int scope);
/// The team of a scope, or null for one that the caller is not in. Collective over its members, and
/// nobody else, when they first ask for it. Throws Error(bad_argument).
const armature::Team* scope_of(Group& group, int scope);

}  // namespace armci
