#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "armature/world.hpp"
#include "space/control.hpp"

namespace armature::hosting {

/// By all ranks, which may (why_not_move_together): each goes on in the process of that number, of
/// whatever node. What they share is made anew where they are then. Returns when all are there.
/// Throws Error(misuse) naming the call, on all ranks, when the nodes are not alike.
void change_nodes(const World& world, std::span<const int> processes, const char* call);
/// Where a checkpoint goes: rank 0 names a new folder, if it is one, the others nothing.
struct Kept {
  space::KeptIn where = space::KeptIn::nowhere;
  std::string folder;
};
/// The same for a checkpoint, each where it is. Returns its number.
std::uint32_t write_on_nodes(const World& world, const Kept& kept, const char* call);

}  // namespace armature::hosting
