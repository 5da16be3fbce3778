#pragma once

#include <cstdint>

#include "space/control.hpp"

namespace armature::fibers {

class RankScheduler;

/// Whether the processes of the job are to stop taking turns. After a death that the job does not
/// recover from nobody does: what the dead had on their stacks is lost. On several nodes all of
/// those here must have let go of what they share.
inline bool is_quiesce_wanted(const space::ControlHeader& job) {
  const space::QuiesceState& quiesce = job.quiesce;
  const bool is_asked =
      quiesce.wanted.load(std::memory_order_acquire) !=
          quiesce.over.load(std::memory_order_relaxed) &&
      (job.nodes == 1 || quiesce.ready.load(std::memory_order_acquire) == job.here.ranks);
  return (is_asked || quiesce.is_to_reconfigure()) &&
         job.gone.deaths.load(std::memory_order_relaxed) == 0;
}

/// Whether processes reconfigure, and whatever ranks do until then will not have been.
inline bool rolls_back(const space::ControlHeader& job) {
  return job.quiesce.is_to_reconfigure() &&
         job.quiesce.epoch.how.load(std::memory_order_acquire) == space::Reconfiguration::roll_back;
}

/// The work that is done while no rank of the process runs: rooms above know it.
class QuiesceBody {
 public:
  QuiesceBody() = default;
  QuiesceBody(const QuiesceBody&) = delete;
  QuiesceBody& operator=(const QuiesceBody&) = delete;
  virtual ~QuiesceBody() = default;

  /// No rank of the process has its turn. Returns when they may have it again; false: this process
  /// hosts none any more.
  [[nodiscard]] virtual bool quiesce(RankScheduler& scheduler) = 0;

  enum class Pace { beside_ranks, as_nobody_runs };
  /// Gives back some memory of ranks that have left, where it is time for that; false: none.
  virtual bool give_back(std::uint64_t now_ns, Pace pace) = 0;
};

}  // namespace armature::fibers
