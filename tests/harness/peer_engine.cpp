#include "harness/peer_engine.hpp"

#include <cstring>
#include <deque>
#include <mutex>

#include "transport/packet.hpp"

namespace armature::harness {

bool PeerEngine::send(int, std::span<const std::byte> head, std::span<const std::byte> body,
                      std::uint64_t token) {
  const std::lock_guard locked(peer_.mutex);
  Bytes packet(head.begin(), head.end());
  packet.insert(packet.end(), body.begin(), body.end());
  transport::PacketHeader header;
  std::memcpy(&header, packet.data(), sizeof header);
  peer_.received = header.sequence;
  peer_.acknowledged = header.acknowledged;
  if (!head.empty()) peer_.lent_bytes.push_back(body.size());
  see(packet, head.empty() ? body.size() : head.size());
  if (peer_.acknowledges && (header.flags & transport::PacketHeader::wants_ack) != 0)
    peer_.say(transport::Kind::none, -1);
  if (head.empty() || !peer_.keeps_lent) return true;
  peer_.lent.push_back(token);
  return false;
}

bool PeerEngine::send_parts(int peer, std::span<const std::byte> head, Parts body,
                            std::uint64_t token) {
  Bytes whole;
  for (const std::span<const std::byte> part : body)
    whole.insert(whole.end(), part.begin(), part.end());
  {
    const std::lock_guard locked(peer_.mutex);
    peer_.parts.push_back(body.size());
  }
  return send(peer, head, whole, token);
}

bool PeerEngine::progress() {
  std::deque<Bytes> packets;
  std::deque<Peer::OneSided::Move> moves;
  std::deque<std::uint64_t> lent;
  {
    // As an engine, which never sleeps for what others hand to it: that comes next time.
    const std::unique_lock locked(peer_.mutex, std::try_to_lock);
    if (!locked.owns_lock()) return false;
    packets.swap(peer_.incoming);
    if (!peer_.one_sided.is_held_back) moves.swap(peer_.one_sided.moves);
    if (!peer_.keeps_lent) lent.swap(peer_.lent);
    peer_.event.clear();
  }
  for (const Bytes& packet : packets) sink_.received(packet, {});
  for (const auto& move : moves) {
    std::memcpy(move.to, move.from, move.bytes);
    sink_.sent(move.token);
  }
  for (const std::uint64_t token : lent) sink_.sent(token);
  return !packets.empty() || !moves.empty() || !lent.empty();
}

bool PeerEngine::arm() {
  const std::lock_guard locked(peer_.mutex);
  return peer_.incoming.empty() && (peer_.one_sided.is_held_back || peer_.one_sided.moves.empty());
}

Bytes PeerEngine::register_memory(std::span<std::byte> memory) {
  peer_.one_sided.memories.push_back(memory);
  return Bytes(8, std::byte{1});
}

void PeerEngine::unregister_memory(std::span<std::byte> memory) {
  std::erase_if(peer_.one_sided.memories,
                [&](std::span<std::byte> one) { return one.data() == memory.data(); });
}

bool PeerEngine::put(int, void*, Runs runs, std::uint64_t token) {
  const std::lock_guard locked(peer_.mutex);
  if (!peer_.one_sided.has_room_here) return false;
  ++peer_.one_sided.handed_over;
  peer_.one_sided.puts += runs.size();
  for (const Run& run : runs)
    peer_.one_sided.moves.push_back(
        {reinterpret_cast<std::byte*>(run.there), run.here, run.bytes, token});
  return true;
}

bool PeerEngine::get(int, void*, Runs runs, std::uint64_t token) {
  const std::lock_guard locked(peer_.mutex);
  if (!peer_.one_sided.has_room_here) return false;
  ++peer_.one_sided.handed_over;
  peer_.one_sided.gets += runs.size();
  for (const Run& run : runs)
    peer_.one_sided.moves.push_back(
        {run.here, reinterpret_cast<const std::byte*>(run.there), run.bytes, token});
  return true;
}

void PeerEngine::see(const Bytes& packet, std::size_t end) {
  for (std::size_t at = sizeof(transport::PacketHeader); at < end;) {
    transport::Record record;
    std::memcpy(&record, packet.data() + at, sizeof record);
    const auto body = packet.begin() + static_cast<std::ptrdiff_t>(at + sizeof record);
    const auto bytes = static_cast<std::ptrdiff_t>(record.bytes - sizeof record);
    const Peer::Seen seen{record, {body, body + bytes}};
    peer_.all_seen.push_back(seen);
    if (seen.is(transport::Kind::bye)) peer_.say(transport::Kind::bye, -1);
    if (seen.is(transport::Kind::hello) || seen.is(transport::Kind::none))
      if (peer_.greets_after-- == 0) peer_.say(transport::Kind::hello, -1);
    if (peer_.on_record) peer_.on_record(seen);
    at += record.bytes + record.filler;
  }
}

}  // namespace armature::harness
