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
/// The same for a checkpoint, each where it is: rank 0 names a new folder for it, the others
/// nothing. Returns its number.
std::uint32_t write_on_nodes(const World& world, const std::string& folder, const char* call);
/// And then all processes end: it returns in those of the job that goes on from there, or where it
/// could not be written.
std::uint32_t write_and_end(const World& world, const std::string& folder, const char* call);

}  // namespace armature::hosting
