#pragma once

#include <cstdint>
#include <memory>

#include <armature/team.hpp>

#include "armci.h"

// A caller's ARMCI_Group is 32 or 40 bytes, depending on the flavour its object file was made with,
// and may be copied like any struct. So a group stands here as teams, and the caller's struct holds
// its number, at the one place that no flavour uses for anything a caller looks at (see
// docs/decisions/armci-group-layout.md). Numbers are never used twice: a freed group is recognised.

namespace armci {

/// A group that the caller is in, with what is derived from it when a scope is first used.
struct Group {
  armature::Team all;
  armature::Team node;     // its members on my node
  armature::Team masters;  // the first of each node; empty if that is not me
  bool scoped = false;
  std::uintptr_t communicator = 0;  // the bits of its MPI_Comm, where there is an MPI
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

/// The team of a scope (SCOPE_...) within a group, or null for one that the caller is not in.
/// Collective over the members of the new teams when first asked for. Throws Error(bad_argument).
const armature::Team* scope_of(Group& group, int scope);

}  // namespace armci
