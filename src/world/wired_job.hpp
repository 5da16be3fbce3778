#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "base/file_descriptor.hpp"
#include "bootstrap/exchange.hpp"
#include "bootstrap/process_table.hpp"
#include "checkpoint/folder.hpp"
#include "space/job_memory.hpp"

namespace armature {

/// Read ARMATURE_ON_DEATH, and ARMATURE_THREADS, 1 unless set, of jobs that our launcher did not
/// start. Throw Error(start) where that makes no sense.
space::OnDeath on_death_wanted();
std::uint64_t threads_wanted();

/// How many ranks a process of such a job begins with: threads_wanted(); its share of
/// ARMATURE_VIRTUAL virtual ones where that is set.
int ranks_of_wired_process(int process, int processes);
/// The first of them.
int first_rank_of_wired_process(int process, int processes);

/// How large segments and stacks are to be, as variables say. `on_valgrind`: of one process or
/// more.
void set_sizes(space::JobOptions& options, bool on_valgrind);

/// A job that another launcher has started: who is in it, and the memory of this process's node.
struct WiredJob {
  bootstrap::ProcessTable process_table;
  space::JobMemory memory;
  /// The checkpoint that the node's memory is to be filled with: known to its first process.
  std::optional<checkpoints::Found> checkpoint;
};

/// Collective over all processes of the exchange: finds out who shares a node; the first process of
/// a node makes its memory files and gives them to the others there. Throws Error(start).
WiredJob wire_up(bootstrap::Exchange& exchange);

}  // namespace armature
