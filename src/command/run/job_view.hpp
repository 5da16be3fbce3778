#pragma once

#include <string>
#include <vector>

#include "command/explain/segment_files.hpp"
#include "command/run/launch_options.hpp"
#include "space/job_memory.hpp"

namespace armature::command {

/// A job as the launcher sees it: what it was to be, and what stands in its memory. All that ranks
/// have to say to the launcher is in control blocks, so that it can be read whatever has become of
/// them.
class JobView {
 public:
  /// `memory` is that of each node; `control` has the slot of every rank in its node's block.
  JobView(const LaunchOptions& options, const std::vector<space::JobMemory>& memory,
          space::Control control);

  [[nodiscard]] const LaunchOptions& options() const { return options_; }
  [[nodiscard]] const std::vector<space::JobMemory>& memory() const { return memory_; }
  [[nodiscard]] const space::Control& control() const { return control_; }
  [[nodiscard]] space::ControlHeader& header() const { return control_.header(); }
  [[nodiscard]] int ranks() const { return static_cast<int>(header().ranks); }
  /// The control block of each node.
  [[nodiscard]] const std::vector<space::Control>& nodes() const { return of_nodes_; }
  [[nodiscard]] const space::Control& node(int number) const {
    return of_nodes_[static_cast<std::size_t>(number)];
  }
  [[nodiscard]] space::ControlHeader& header_of_rank_0() const;

  /// The number of the process that the rank is in now.
  [[nodiscard]] int process_of(int rank) const;
  /// All roll back, on several nodes, to the checkpoint in memory after a death.
  [[nodiscard]] bool recovers_on_nodes() const;
  /// Ranks are about to change processes, on one node, or to roll back.
  [[nodiscard]] bool is_reconfiguring() const { return header().quiesce.is_to_reconfigure(); }
  /// All ranks have ended, on whatever node.
  [[nodiscard]] bool have_all_ended() const;
  /// All ranks are written, on several nodes, and the job goes on in other processes.
  [[nodiscard]] bool is_to_go_on() const;

  /// Says what all ranks do at the moment, in lines.
  [[nodiscard]] std::string explanation() const;

 private:
  const LaunchOptions& options_;
  const std::vector<space::JobMemory>& memory_;
  const space::Control control_;
  std::vector<space::Control> of_nodes_;
  SegmentFiles segment_files_;
};

}  // namespace armature::command
