#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "space/address_space.hpp"
#include "transport/shm/mailbox.hpp"

namespace armature::progress {

/// A message that has arrived whole and waits for its receiver.
struct Message {
  int from = -1;
  std::int32_t tag = 0;
  std::vector<std::byte> data;
};

/// This rank's messages: rings to and from the others, what has arrived, what is half here.
/// Tags below zero are the library's own.
class Messages {
 public:
  explicit Messages(space::AddressSpace& space);

  /// Blocks, delivering, while the receiver's ring is full.
  void send(int to, std::int32_t tag, std::span<const std::byte> data, const char* call);
  /// Blocks until there is a message from that rank (-1: anyone) with that tag, and takes it.
  Message receive(int from, std::int32_t tag, const char* call, space::Awaiting what);
  /// Puts one back as the first of its sender.
  void put_back(Message message);
  /// Takes in what has arrived. Never blocks.
  void deliver();

 private:
  /// One sender's ring and the message that is being read from it.
  struct Incoming {
    int from = -1;
    transport::Ring* ring = nullptr;
    transport::Envelope envelope;
    std::size_t envelope_bytes = 0;
    std::size_t data_bytes = 0;
    Message message;
  };

  transport::Ring& ring_to(int to, const char* call);
  void write(transport::Ring& ring, int to, std::span<const std::byte> data, const char* call);
  void find_new_rings();
  bool take_in(Incoming& incoming);
  std::optional<Message> find(int from, std::int32_t tag);

  space::AddressSpace& space_;
  std::vector<transport::Ring*> to_;
  std::vector<Incoming> incoming_;
  std::uint32_t rings_seen_ = 0;
  std::deque<Message> arrived_;
};

}  // namespace armature::progress
