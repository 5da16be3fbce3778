#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "base/random.hpp"
#include "engines/engine.hpp"

namespace armature::transport {

/// Sends packets that nobody of the job has meant: behind real ones, by the same engine, it sends
/// earlier ones again, and others of which a byte is changed, that are cut short, or that were for
/// another process. Who gets them should refuse them.
class Forger {
 public:
  explicit Forger(std::uint64_t seed) : random_(seed) {}

  /// A real packet, which is about to be sent to that peer.
  void remember(int peer, std::span<const std::byte> head, std::span<const std::byte> body);
  /// Perhaps sends something behind it.
  void send_one(Engine& by);
  /// Whether what was sent under this token is the forger's own. It is let go of then.
  [[nodiscard]] bool let_go(std::uint64_t token) { return under_way_.erase(token) != 0; }

 private:
  struct Packet {
    int peer;
    std::vector<std::byte> head, body;
  };
  /// Records lie in the head; in the body where there is none.
  static std::vector<std::byte>& records_of(Packet& packet) {
    return packet.head.empty() ? packet.body : packet.head;
  }
  [[nodiscard]] std::optional<Packet> forge();

  static constexpr std::size_t kept_max = 16;
  base::Random random_;
  std::deque<Packet> kept_;
  std::map<std::uint64_t, std::unique_ptr<Packet>> under_way_;
};

}  // namespace armature::transport
