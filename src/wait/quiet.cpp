#include "wait/quiet.hpp"

#include "wait/give_way.hpp"
#include "wait/oversubscription.hpp"
#include "wait/rank_context.hpp"

namespace armature::wait {

Quiet::Quiet() : poller_(poller()) {
  const RankContext* const me = current_rank();
  if (me != nullptr && me->scheduler != nullptr) poller_ = nullptr;
  if (poller_ != nullptr && !cores_are_shared() && !core_is_wanted()) (void)poller_->stop_ears();
}

}  // namespace armature::wait
