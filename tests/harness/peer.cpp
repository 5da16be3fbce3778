#include "harness/peer.hpp"

#include <utility>

#include "net/network.hpp"

namespace armature::harness {

transport::RecordKind Peer::kind_of(transport::RecordOf named) {
  if (named.service == &transport::link_service) return {0, named.number};
  return net::network()->links().services().kind_of(named);
}

Peer::Peer() { the_one = this; }

Peer::~Peer() { the_one = nullptr; }

void Peer::say_as(transport::RecordKind kind, int from, const void* body, std::size_t bytes) {
  const std::lock_guard locked(mutex);
  const std::size_t padded = (bytes + 7) / 8 * 8;
  transport::PacketHeader header{
      .sequence = ++sequence, .acknowledged = received, .process = process, .flags = flags};
  const transport::Record record{kind, static_cast<std::uint16_t>(padded - bytes),
                                 static_cast<std::uint32_t>(sizeof record + bytes), from, 0};
  Bytes packet(sizeof header + sizeof record + padded);
  std::memcpy(packet.data(), &header, sizeof header);
  std::memcpy(packet.data() + sizeof header, &record, sizeof record);
  if (bytes > 0) std::memcpy(packet.data() + sizeof header + sizeof record, body, bytes);
  header.sum = transport::packet_sum(packet, {.secret = secret, .to = 0, .lent_bytes = 0});
  std::memcpy(packet.data(), &header.sum, sizeof header.sum);
  incoming.push_back(std::move(packet));
  if (is_heard) wake();
}

bool Peer::is_heard_out() const {
  const std::lock_guard locked(mutex);
  return incoming.empty();
}

std::vector<Peer::Seen> Peer::seen(transport::RecordOf named) const {
  const transport::RecordKind kind = kind_of(named);
  const std::lock_guard locked(mutex);
  std::vector<Seen> found;
  for (const Seen& one : all_seen)
    if (one.record.kind == kind) found.push_back(one);
  return found;
}

}  // namespace armature::harness
