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
      Sending* const lender = std::exchange(mine.lender, nullptr);
      mine.pool->give_back(&mine);
      if (lender != nullptr) lender->sent(*lender);
    };
  }
  OutgoingPacket* const packet = free_.back().release();
  free_.pop_back();
  packet->queued = &queued;
  packet->lender = nullptr;
  packet->used = 0;
  return packet;
}

void PacketPool::give_back(OutgoingPacket* packet) { free_.emplace_back(packet); }

}  // namespace armature::transport
