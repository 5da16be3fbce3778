#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "bootstrap/exchange.hpp"
#include "bootstrap/secret.hpp"
#include "topology/processor_place.hpp"

namespace armature::bootstrap {

/// A job has no more ranks.
inline constexpr std::uint32_t ranks_max = 131072;

/// A process of the job, as it has presented itself to the others.
struct Member {
  int node = 0;   // nodes are numbered by their first processes
  int index = 0;  // which of its node's processes
  int first_rank = 0;
  int hosted = 1;  // ranks, in a row
  int pid = 0;     // as its own node sees it
  std::uint64_t started = 0;
  std::string host;
  std::string socket;              // its name, by which processes of its node reach it
  std::vector<int> processors;     // that it may run on
  topology::ProcessorPlace place;  // of these, by its node's own numbers
};

/// The processes of the job, by their numbers, and on which nodes they are.
struct ProcessTable {
  int me = 0;
  int nodes = 1;
  int ranks = 0;
  bool are_virtual = false;
  bool on_valgrind = false;     // one process or more
  std::vector<Member> members;  // by process
  Secret secret{};

  [[nodiscard]] const Member& self() const { return members[static_cast<std::size_t>(me)]; }
  /// The processes of a node, ascending.
  [[nodiscard]] std::vector<int> processes_of(int node) const;
  /// "2 processes on a, 1 on b".
  [[nodiscard]] std::string places() const;
};

/// The ranks that a process begins with.
struct Hosting {
  int ranks = 1;          // that it hosts
  int virtual_ranks = 0;  // of the whole job; 0: its ranks are none
};

/// Collective over all processes: each presents itself with what it hosts and the name of its
/// socket (descriptor_socket.hpp). Throws Error(start), on all of them, when they are not of one
/// build or do not agree, or what they host is no job. A process reads one value; one process of
/// each node reads those of all.
ProcessTable make_process_table(Exchange& exchange, Hosting hosting, const std::string& socket);

}  // namespace armature::bootstrap
