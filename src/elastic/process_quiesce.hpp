#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "checkpoint/chain.hpp"
#include "checkpoint/node_checkpoint.hpp"
#include "fibers/quiesce_body.hpp"
#include "migration/page_cache.hpp"
#include "quiesce/phase_barrier.hpp"
#include "quiesce/phases.hpp"
#include "space/mapping.hpp"

namespace armature::elastic {

/// The work of a process of virtual ranks while none of them runs, for whatever all processes of
/// the job quiesce: ranks go to other nodes, are written, or go on in other processes or as they
/// were before. They are taken as they lie in their segments, so nothing of how they waited has to
/// be kept.
class ProcessQuiesce final : public fibers::QuiesceBody {
 public:
  /// `segment_file` is where the segments lie.
  ProcessQuiesce(const space::Mapping& mapping, int process, int segment_file);

  [[nodiscard]] bool quiesce(fibers::RankScheduler& scheduler) override;
  bool give_back(std::uint64_t now_ns, Pace pace) override {
    return page_cache_.give_back(now_ns, pace);
  }

  /// The number of that rank's last checkpoint: checkpoints::kept_of.
  [[nodiscard]] std::uint64_t kept_of(int rank) const;

 private:
  [[nodiscard]] bool quiesce_once(fibers::RankScheduler& scheduler);
  void empty_kept() const;
  void pack(fibers::RankScheduler& scheduler, const quiesce::PhaseBarrier& barrier) const;
  [[nodiscard]] quiesce::Client client_of(const quiesce::PhaseBarrier& barrier,
                                          std::optional<checkpoints::NodeCheckpoint>& of_one_node);
  [[nodiscard]] bool reconfigure(fibers::RankScheduler& scheduler);
  [[nodiscard]] bool is_still_to_come() const;
  [[nodiscard]] bool note_those_who_changed();
  void hand_over_locks() const;

  const space::Mapping& mapping_;
  space::ControlHeader& job_;
  const int process_, segment_file_;
  // The process has done nothing yet to come. The slot may say already that the job has it: where
  // it comes to the only node that is left, nobody waits for it.
  bool is_to_come_;
  checkpoints::Kept kept_;  // of the last checkpoint to disk
  migration::PageCache page_cache_;
};

}  // namespace armature::elastic
