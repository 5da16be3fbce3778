#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "armature/world.hpp"

namespace armature::hosting {

/// By all ranks, which may (why_not_move_together): each goes on in the process of that number, of
/// whatever node. What they share is made anew where they are then. Returns when all are there.
/// Throws Error(misuse) naming the call, on all ranks, when the nodes are not alike.
void change_nodes(const World& world, std::span<const int> processes, const char* call);
/// The same for a checkpoint, each where it is: rank 0 names a new folder for it, and whether it is
/// to be incremental, the others nothing. Returns its number.
std::uint32_t write_on_nodes(const World& world, const std::string& folder, bool is_incremental,
                             const char* call);

}  // namespace armature::hosting
