// Channels begin anew when ranks go to other nodes: on a node a channel lies in its sender's band,
// between nodes there is an image of it at the receiver's.
#include "base/fail.hpp"
#include "rmi/endpoint.hpp"

namespace armature::rmi {

void Endpoint::forget_channels() {
  if (executed_before_ == nullptr)
    executed_before_ = std::make_unique<base::SparseTable<std::uint64_t>>();
  for (const auto& in : incoming_) {
    ARMATURE_ASSERT(in->pin == nullptr && in->channel.published.load() == in->read);
    (*executed_before_)[static_cast<std::size_t>(in->from)] = in->executed;
    space_.head(space_.me()).peer(in->from).channel.store(0, std::memory_order_relaxed);
  }
  incoming_.clear();
  channels_seen_ = 0;
  space_.slot(space_.me()).channels.restore(0);
  fences_.forget_teams();
}

void Endpoint::close_channels() {
  ARMATURE_ASSERT(overflowing_.empty());
  for (const int to : lanes_.indices()) {
    const auto index = static_cast<std::size_t>(to);
    Lane& lane = lanes_[index];
    if (lane.channel == nullptr) continue;
    space_.head(to).peer(space_.me()).channel.store(0, std::memory_order_relaxed);
    ARMATURE_ASSERT(space_.free(lane.channel, space::Allocation::Kind::internal));
    lane.channel = nullptr;
    lane.committed = nullptr;
    lane.in_channel = lane.consumed = 0;
    const std::uint64_t sent = outgoing_[index].sent;
    outgoing_[index] = {};
    outgoing_[index].sent = sent;
  }
}

}  // namespace armature::rmi
