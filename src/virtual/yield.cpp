#include <fmt/format.h>

#include "armature/virtual.hpp"
#include "base/fail.hpp"
#include "progress/rank_context.hpp"
#include "virtual/rank_scheduler.hpp"

namespace armature {
namespace {

/// Who gives the calling rank its turns; nullptr where it has a thread of its own, or where a seed
/// decides.
fibers::RankScheduler* scheduler_of(const progress::RankContext& me) {
  if (me.space.header().ranks_are_virtual == 0) return nullptr;
  return static_cast<fibers::RankScheduler*>(me.scheduler);
}

}  // namespace

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

void set_priority(int priority) {
  const progress::RankContext& me = progress::this_rank("set_priority");
  if (priority < -fibers::priority_max || priority > fibers::priority_max)
    base::fail(Errc::bad_argument,
               fmt::format("set_priority: {} is not between {} and {}", priority,
                           -fibers::priority_max, fibers::priority_max));
  if (auto* const scheduler = scheduler_of(me)) scheduler->set_priority(priority);
}

int priority() {
  const auto* const scheduler = scheduler_of(progress::this_rank("priority"));
  return scheduler != nullptr ? scheduler->priority() : 0;
}

}  // namespace armature
