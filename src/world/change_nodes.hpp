#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "armature/world.hpp"
#include "space/control.hpp"

namespace armature::hosting {

/// Moves ranks: each goes on in the process that rank 0 has for it, of whatever node; the others
/// need not know. Called by all ranks, which may (why_not_move). What they share is made anew where
/// they are then. Returns when all are there. Throws, naming the call, on all ranks, which stay:
/// Error(misuse) when the nodes are not alike, Error(out_of_memory) when what a process keeps of a
/// rank cannot go along.
void change_nodes(const World& world, std::span<const int> processes, const char* call);
/// Processes that leave a job of several nodes, or come to it, while the others stay.
struct ProcessChange {
  std::vector<int> leaving, coming;
};
/// Does that, too. Before it the processes that rank 0 names come, after it those leave.
void change_nodes(const World& world, std::span<const int> processes, const ProcessChange& change,
                  const char* call);
/// The place of a checkpoint: rank 0 names a new folder, if it is one, and whether it is to be
/// incremental, the others nothing.
struct Destination {
  space::KeptIn where = space::KeptIn::nowhere;
  std::string folder;
  bool is_incremental = false;
};
/// Writes a checkpoint, each rank where it is, as change_nodes. Returns its number. After one for
/// the next start all processes end, and it returns in those of the job that goes on from there, or
/// where it could not be written.
std::uint32_t write_on_nodes(const World& world, const Destination& to, const char* call);

/// Moves one rank inside its node: migrate, where that process has not left the job meanwhile. If
/// it has, its ranks have been moved by somebody else, and this one stays. False: it stays for want
/// of memory for what its process keeps of it.
bool go_to(int process);

}  // namespace armature::hosting
