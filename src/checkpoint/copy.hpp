#pragma once

#include <cstdint>

#include "quiesce/node_members.hpp"
#include "quiesce/phases.hpp"
#include "space/mapping.hpp"

namespace armature::checkpoints {

/// Says that this copy is whole, and the last one. The first process of a node calls it, while
/// nobody runs.
void count_copy(space::ControlHeader& job, std::uint32_t number);

/// A checkpoint in memory: one of two files that hold what the segments' file held, page by page,
/// and what the control block knew of each rank. The memory is the node's, not a process's: whoever
/// dies, those who are left have it. There are two, so that one is whole while the other is
/// written.
class Copy {
 public:
  /// Number 1 or 2. The files of copies are open behind that of the segments.
  Copy(const space::Mapping& mapping, int segment_file, std::uint32_t number);

  /// The one that is not the last, which it becomes when it is whole. What is done in which phase
  /// of all of them quiescent; `mapping` must outlive it.
  [[nodiscard]] static quiesce::Client client(const space::Mapping& mapping, int segment_file);

  // All processes of the node call these, each for its share. They throw Error(out_of_memory).
  void fill(const quiesce::NodeMembers& members) const;
  void bring_back(const quiesce::NodeMembers& members) const;
  // Called by one of them, while nobody runs: what the control block knows of ranks.
  void write_records() const;
  void give_records() const;

 private:
  const space::Mapping& mapping_;
  const int segment_file_, file_;
};

}  // namespace armature::checkpoints
