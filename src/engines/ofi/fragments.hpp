#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <map>
#include <span>
#include <vector>

// A packet travels as one message of libfabric, or as several where it is longer than the buffers
// that receive: fragments. Those of one sender arrive in the order in which they were sent, which
// libfabric is asked for (FI_ORDER_SAS). Whatever else arrives is no packet, and is passed over.

namespace armature::transport {

struct FragmentHeader {
  std::uint64_t sender = 0;  // a number that its process has drawn
  std::uint64_t offset = 0;  // of this fragment in the packet
  std::uint64_t bytes = 0;   // of the whole packet: its head and its body
  std::uint64_t head_bytes = 0;
};
static_assert(sizeof(FragmentHeader) == 32);

/// Packets that come in fragments, put together.
class Fragments {
 public:
  static constexpr std::uint64_t packet_bytes_max = std::uint64_t{64} << 20;
  static constexpr std::size_t senders_max = std::size_t{1} << 16;  // that are amid a packet

  /// Takes in a message and calls packet(head, body) when that makes a packet whole.
  template <class Packet>
  void take(std::span<const std::byte> message, Packet packet) {
    FragmentHeader header;
    if (message.size() < sizeof header) return;
    std::memcpy(&header, message.data(), sizeof header);
    const std::span<const std::byte> part = message.subspan(sizeof header);
    if (header.bytes > packet_bytes_max || header.head_bytes > header.bytes ||
        header.offset > header.bytes || part.size() > header.bytes - header.offset)
      return;
    const auto head_bytes = static_cast<std::size_t>(header.head_bytes);
    if (part.size() == header.bytes)
      return packet(part.first(head_bytes), part.subspan(head_bytes));
    if (part.empty() || !append(header, part)) return;
    const std::vector<std::byte> whole = std::move(open_.extract(header.sender).mapped());
    packet(std::span(whole).first(head_bytes), std::span(whole).subspan(head_bytes));
  }
  [[nodiscard]] std::size_t open() const { return open_.size(); }

 private:
  /// Whether the packet is whole now.
  bool append(const FragmentHeader& header, std::span<const std::byte> part) {
    if (header.offset == 0) {
      if (open_.size() >= senders_max && !open_.contains(header.sender)) return false;
      open_[header.sender].clear();  // a packet that its sender did not finish
    }
    const auto found = open_.find(header.sender);
    if (found == open_.end()) return false;
    std::vector<std::byte>& have = found->second;
    if (have.size() != header.offset) {
      open_.erase(found);
      return false;
    }
    have.insert(have.end(), part.begin(), part.end());
    return have.size() == header.bytes;
  }

  std::map<std::uint64_t, std::vector<std::byte>> open_;  // by sender
};

}  // namespace armature::transport
