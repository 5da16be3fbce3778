#include "wait/suppress_thread.hpp"

#include "wait/oversubscription.hpp"
#include "wait/rank_context.hpp"
#include "wait/yield.hpp"

namespace armature::wait {

SuppressThread::SuppressThread() : poller_(poller()) {
  const RankContext* const me = current_rank();
  if (me != nullptr && me->scheduler != nullptr) poller_ = nullptr;
  if (poller_ != nullptr && !cores_are_shared() && !core_is_wanted())
    (void)poller_->thread().suppress();
}

}  // namespace armature::wait
