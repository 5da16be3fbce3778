#pragma once

#include <cstdint>
#include <vector>

#include "armature/detail/export.hpp"
#include "armature/rank.hpp"

namespace armature {

/// The places of ranks (armci-rma-2006, 3.5): ranks of one node can dereference each other's global
/// memory; ranks of one process share everything. All throw Error(bad_rank).
[[nodiscard]] ARMATURE_API NodeId node_of(Rank rank);
[[nodiscard]] ARMATURE_API ProcessId process_of(Rank rank);
[[nodiscard]] ARMATURE_API bool same_node(Rank a, Rank b);
[[nodiscard]] ARMATURE_API bool same_process(Rank a, Rank b);

/// The rank in whose segment an address lies, or Rank::none() for memory that only this process
/// has.
[[nodiscard]] ARMATURE_API Rank owner_of(const void* address);

/// Returns to how many processes of other nodes the calling rank's process is connected. Processes
/// connect when one first sends something to the other. All are connected from the start where
/// ranks are virtual, and where the job goes on after deaths: a death is seen by its connections.
[[nodiscard]] ARMATURE_API int connected_processes();

/// Returns how many values the calling rank's process has read so far of those that the job's
/// processes publish, through their launcher, to find each other. One or two processes of each node
/// read values of every process; every other one reads about as many as there are nodes. Where all
/// connect to all each reads values of all. 0 in a job on one node under armature run.
[[nodiscard]] ARMATURE_API std::uint64_t wire_up_reads();

/// The papers' communication domains: each level divides the job into groups of ranks that are near
/// each other, and the level below divides those. From the widest to the narrowest: network_switch,
/// smp, socket, numa, cache, core. Processes divide nodes. Under `armature run` hwloc tells what a
/// machine has, and `--topology FILE` which nodes are at which switch. A rank is in the socket and
/// so on that it is bound to. Those that are bound to no one of these share one domain of their
/// node, or of the socket and so on that they are bound to.
enum class Domain {
  smp,             ///< ranks that share memory: nodes
  process,         ///< ranks that share an address space
  core,            ///< ranks that share a core
  cache,           ///< ranks that share the last cache before memory
  numa,            ///< ranks that are as near to the same memory
  socket,          ///< ranks that share a package of cores
  network_switch,  ///< nodes that are at the same switch of the network
  node = smp
};
[[nodiscard]] ARMATURE_API int domain_count(Domain level);
[[nodiscard]] ARMATURE_API int domain_of(Domain level, Rank rank);
/// The ranks of a domain in ascending order. Throws Error(bad_argument) for a domain there is not.
[[nodiscard]] ARMATURE_API std::vector<Rank> domain_ranks(Domain level, int domain);

}  // namespace armature
