// The compiled half of armature/put_then.hpp. A call between nodes is bytes of a ring, which leave
// after the records of the put that it stands behind. Those of a short put have been appended,
// those of a long one follow, and the ring waits for them where it is.
#include "armature/put_then.hpp"

#include <mutex>

#include <fmt/format.h>

#include "base/fail.hpp"
#include "net/network.hpp"
#include "wait/ordered.hpp"
#include "wait/rank_context.hpp"
#include "wait/thread_call.hpp"

namespace armature::detail {

void call_behind_transfer(Rank rank, Handle& transfer) {
  const wait::ThreadCall under_way("put_then");
  net::Network* const net = net::network();
  const wait::RankContext* const me = wait::current_rank();
  // Operations that the engine does by itself are in no order with records.
  if (net == nullptr || me == nullptr || net->links().engine().is_one_sided()) {
    transfer.wait();
    return wait::complete_puts(rank);
  }
  const transport::Links::Lock locked(net->links().lock());
  net->rings().put_behind_streams(me->space.me(), rank);
}

void require_lives_there(Rank lives_on, Rank rank, const char* call) {
  if (lives_on == rank) return;
  base::fail(Errc::bad_rank, fmt::format("{}: the object lives on rank {}, not on rank {}", call,
                                         static_cast<int>(lives_on), static_cast<int>(rank)));
}

}  // namespace armature::detail
