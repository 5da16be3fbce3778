#pragma once

#include <string>

#include "checkpoint/chain.hpp"
#include "checkpoint/part.hpp"
#include "quiesce/phase_barrier.hpp"
#include "quiesce/phases.hpp"
#include "space/mapping.hpp"

namespace armature::checkpoints {

/// A checkpoint to disk of a job on one node, by one of its processes while all are quiescent.
class NodeCheckpoint {
 public:
  /// `kept` is what the last one has left, if all were of this process. All must outlive this.
  NodeCheckpoint(const space::Mapping& mapping, const quiesce::PhaseBarrier& barrier, int process,
                 int segment_file, Kept& kept);

  NodeCheckpoint(const NodeCheckpoint&) = delete;
  NodeCheckpoint& operator=(const NodeCheckpoint&) = delete;
  /// Gives up a folder that is not complete.
  ~NodeCheckpoint();

  /// The work of this checkpoint in each phase, which is not used after this object.
  [[nodiscard]] quiesce::Client client();

 private:
  void open_folder();
  void write_part();
  void write_share(PartWriter& part);
  void complete();
  void undo();
  [[nodiscard]] bool is_incremental() const;

  const space::Mapping& mapping_;
  space::ControlHeader& job_;
  space::QuiesceState& quiesce_;
  const quiesce::PhaseBarrier& barrier_;
  const int process_;
  const int segment_file_;
  Kept& kept_;
  const std::uint32_t number_;
  std::string folder_;  // by the first process, until it is complete; empty: none
};

}  // namespace armature::checkpoints
