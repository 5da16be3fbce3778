#pragma once

#include <string>
#include <vector>

#include "command/run/binding.hpp"
#include "command/run/cores.hpp"
#include "command/run/launch_options.hpp"
#include "space/job_memory.hpp"

namespace armature::command {

/// The switches of nodes.
struct Network {
  std::string file;                // says which nodes are at which switch; empty: all are at one
  std::vector<std::string> nodes;  // their names
  bool must_tell_all = true;       // else those that the file does not name are at one of their own
};

/// A job that goes on elsewhere may have nodes that nobody knew.
Network network_of(const LaunchOptions& options);

/// Tells all nodes of a job in which domain of each level each rank is, or each process of virtual
/// ranks. `of_ranks`: what each is bound to; empty where they are not. On a machine that is not
/// this one each node is that machine, and ranks are as if they were bound to its cores in turn.
/// Throws Error(start) where the file is wrong.
void tell_levels(const std::vector<space::JobMemory>& memory, Machine& machine,
                 const Binding& of_ranks, const Network& network);

}  // namespace armature::command
