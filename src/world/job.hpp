#pragma once

#include <memory>

#include "armature/world.hpp"
#include "progress/rank_context.hpp"

namespace armature {

/// This process's part in its job, from joining it to leaving it.
class Job {
 public:
  /// Joins the job of the launcher, or makes one of one rank.
  Job();
  Job(const Job&) = delete;
  Job& operator=(const Job&) = delete;
  ~Job();

  /// Collective: returns when all ranks are through.
  void leave();
  [[nodiscard]] World& world() { return *world_; }

 private:
  std::unique_ptr<progress::RankContext> context_;
  std::unique_ptr<World> world_;
};

}  // namespace armature
