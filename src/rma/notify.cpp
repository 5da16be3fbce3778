#include "armature/notify.hpp"

#include "progress/bell.hpp"
#include "progress/rank_context.hpp"
#include "progress/wait.hpp"

namespace armature {

std::uint64_t notify(Rank rank) {
  space::AddressSpace& space = progress::this_rank("notify").space;
  space.require_rank(rank, "notify");
  auto& counter = space.head(rank).peer(space.me()).notified;
  // This rank alone writes it. Release: the puts before are there when the count is seen.
  const std::uint64_t count = counter.load(std::memory_order_relaxed) + 1;
  counter.store(count, std::memory_order_release);
  progress::ring(space.slot(rank));
  return count;
}

std::uint64_t wait_notify(Rank from) {
  space::AddressSpace& space = progress::this_rank("wait_notify").space;
  space.require_rank(from, "wait_notify");
  space::PeerLine& line = space.head(space.me()).peer(from);
  const std::uint64_t wanted = line.consumed + 1;
  progress::WaitFor wait{.what = space::Awaiting::notify,
                         .peer = from,
                         .object = &line,
                         .detail = wanted,
                         .call = "wait_notify"};
  progress::wait_until(wait,
                       [&] { return line.notified.load(std::memory_order_acquire) >= wanted; });
  line.consumed = wanted;
  return wanted;
}

}  // namespace armature
