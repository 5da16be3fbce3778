#include "armature/virtual.hpp"
#include "progress/rank_context.hpp"
#include "progress/wait.hpp"

namespace armature {

RankKind rank_kind() {
  const progress::RankContext& me = progress::this_rank("rank_kind");
  if (me.scheduler != nullptr) return RankKind::fiber;
  const space::ControlHeader& job = me.space.header();
  return job.processes == job.ranks ? RankKind::process : RankKind::thread;
}

void yield() {
  (void)progress::this_rank("yield");
  progress::let_others_run();
}

}  // namespace armature
