#pragma once

#include <cstddef>

#include <armature/team.hpp>

#include "rma.hpp"
#include "teams.hpp"

// Collectives of bytes over a team; active sets are teams, too.

namespace shmem {

struct Root {
  int pe;
  bool keeps_dest;  // over active sets the root's own dest stays as it is
};
void broadcast(const armature::Team& team, void* dest, const void* source, std::size_t bytes,
               Root root);
void collect(const armature::Team& team, void* dest, const void* source, std::size_t bytes);
void fcollect(const armature::Team& team, void* dest, const void* source, std::size_t bytes);
void alltoall(const armature::Team& team, void* dest, const void* source, std::size_t bytes);
/// A block for each member, of blocks.count elements that are strides apart.
void alltoalls(const armature::Team& team, void* dest, const void* source, const Blocks& blocks);

}  // namespace shmem
