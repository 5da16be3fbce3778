#pragma once

#include <atomic>
#include <cstddef>
#include <memory>
#include <vector>

#include "transport/stream.hpp"

namespace armature::transport {

class PacketPool;

/// A packet in which records gather, or that the engine has. When the engine lets go of it, it goes
/// back to its pool, and who has lent bytes behind it is told.
struct OutgoingPacket : Sending {
  static constexpr std::size_t bytes_max = 16 * 1024;

  PacketPool* pool = nullptr;
  std::atomic<std::size_t>* queued = nullptr;  // packets of its link that the engine has not taken
  Sending* zero_copy = nullptr;
  std::size_t used = 0;
  alignas(8) std::byte bytes[bytes_max];
};

/// Packets of all links of a process. Under the links' lock.
class PacketPool {
 public:
  PacketPool() = default;
  PacketPool(const PacketPool&) = delete;
  PacketPool& operator=(const PacketPool&) = delete;
  ~PacketPool() = default;

  /// Empty, for the link that counts its packets there.
  [[nodiscard]] OutgoingPacket* take(std::atomic<std::size_t>& queued);
  void give_back(OutgoingPacket* packet);

 private:
  std::vector<std::unique_ptr<OutgoingPacket>> free_;
};

}  // namespace armature::transport
