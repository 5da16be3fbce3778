#include "armature/virtual.hpp"
#include "progress/rank_context.hpp"

namespace armature {

RankKind rank_kind() {
  const progress::RankContext& me = progress::this_rank("rank_kind");
  if (me.scheduler != nullptr) return RankKind::fiber;
  const space::ControlHeader& job = me.space.header();
  return job.processes == job.ranks ? RankKind::process : RankKind::thread;
}

void yield() {
  const progress::RankContext& me = progress::this_rank("yield");
  if (me.scheduler != nullptr) me.scheduler->yield(false);
}

}  // namespace armature
