#include "wait/yield.hpp"

#include "armature/virtual.hpp"
#include "wait/elsewhere.hpp"
#include "wait/rank_context.hpp"

namespace armature {

RankKind rank_kind() {
  const wait::RankContext& me = wait::this_rank("rank_kind");
  if (me.scheduler != nullptr) return RankKind::fiber;
  const space::ControlHeader& job = me.space.header();
  return job.processes == job.ranks ? RankKind::process : RankKind::thread;
}

void yield() {
  wait::RankContext& me = wait::this_rank("yield");
  const wait::Elsewhere others(&me);
  me.scheduler != nullptr ? me.scheduler->yield(false) : wait::leave_core();
}

}  // namespace armature
