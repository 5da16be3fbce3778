#include "engines/hook/forger.hpp"

#include <utility>

namespace armature::transport {

// A part of what was lent is left away by its end: nobody sums the bytes that are.
std::optional<Forger::Packet> Forger::forge() {
  Packet packet = kept_[random_.below(kept_.size())];
  enum What : std::uint8_t { again, changed, cut_short, misdirected, count };
  switch (static_cast<What>(random_.below(count))) {
    case changed: {
      std::vector<std::byte>& records = records_of(packet);
      records[random_.below(records.size())] ^= static_cast<std::byte>(1 + random_.below(255));
      break;
    }
    case cut_short:
      packet.body.resize(random_.below(packet.body.size()));
      break;
    case misdirected: {
      const int peer = kept_.back().peer;
      if (packet.peer == peer) return std::nullopt;
      packet.peer = peer;
      break;
    }
    case again:
    case count:
      break;
  }
  return packet;
}

void Forger::remember(int peer, std::span<const std::byte> head, std::span<const std::byte> body) {
  if (kept_.size() == kept_max) kept_.pop_front();
  kept_.push_back({peer, {head.begin(), head.end()}, {body.begin(), body.end()}});
}

void Forger::send_one(Engine& by) {
  constexpr std::size_t under_way_max = 64;
  if (random_.below(4) != 0 || under_way_.size() >= under_way_max) return;
  std::optional<Packet> forged = forge();
  if (!forged) return;
  auto lasting = std::make_unique<Packet>(std::move(*forged));
  const Packet& packet = *lasting;
  const auto token = reinterpret_cast<std::uint64_t>(lasting.get());
  under_way_.emplace(token, std::move(lasting));
  if (by.send(packet.peer, packet.head, packet.body, token)) under_way_.erase(token);
}

}  // namespace armature::transport
