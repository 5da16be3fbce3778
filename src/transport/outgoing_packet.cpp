#include "transport/outgoing_packet.hpp"

#include <utility>

namespace armature::transport {

OutgoingPacket* PacketPool::take(std::atomic<std::size_t>& queued) {
  if (free_.empty()) {
    free_.push_back(std::make_unique<OutgoingPacket>());
    free_.back()->pool = this;
    free_.back()->sent = [](Sending& done) {
      auto& mine = static_cast<OutgoingPacket&>(done);
      --*mine.queued;
      Sending* const zero_copy = std::exchange(mine.zero_copy, nullptr);
      mine.pool->give_back(&mine);
      if (zero_copy != nullptr) zero_copy->sent(*zero_copy);
    };
  }
  OutgoingPacket* const packet = free_.back().release();
  free_.pop_back();
  packet->queued = &queued;
  packet->zero_copy = nullptr;
  packet->used = 0;
  return packet;
}

void PacketPool::give_back(OutgoingPacket* packet) { free_.emplace_back(packet); }

}  // namespace armature::transport
