#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <deque>
#include <functional>
#include <mutex>
#include <span>
#include <vector>

#include "harness/event.hpp"
#include "transport/packet.hpp"
#include "transport/service.hpp"

namespace armature::harness {

using Bytes = std::vector<std::byte>;

/// A process of another node that the test plays: it sees every record that the network sends, and
/// says what the test wants. There is one at a time. Any thread may ask it for anything.
class Peer {
 public:
  static constexpr int process = 1;
  static inline bool has_other_services = false;
  static inline Peer* the_one = nullptr;

  /// The links' own records are spoken before there is a network.
  [[nodiscard]] static transport::RecordKind kind_of(transport::RecordOf named);

  struct Seen {
    transport::Record record;
    Bytes body;
    [[nodiscard]] bool is(transport::RecordOf kind) const { return record.kind == kind_of(kind); }
    template <class T>
    [[nodiscard]] T head() const {
      T value{};
      if (!body.empty())
        std::memcpy(static_cast<void*>(&value), body.data(), std::min(sizeof value, body.size()));
      return value;
    }
  };

  Peer();
  Peer(const Peer&) = delete;
  Peer& operator=(const Peer&) = delete;
  ~Peer();

  /// From `from`, one of its ranks, to rank 0.
  void say(transport::RecordOf kind, int from, const void* body = nullptr, std::size_t bytes = 0) {
    say_as(kind_of(kind), from, body, bytes);
  }
  void say_as(transport::RecordKind kind, int from, const void* body = nullptr,
              std::size_t bytes = 0);
  template <class Body>
  void say(transport::RecordOf kind, int from, const Body& body) {
    say(kind, from, &body, sizeof body);
  }
  /// Whether the network has taken all that was said.
  [[nodiscard]] bool is_heard_out() const;

  /// The records of that kind that it has got.
  [[nodiscard]] std::vector<Seen> seen(transport::RecordOf named) const;

  /// Wakes who sleeps until something comes.
  void wake() const { event.signal(); }

  /// Told of every record, on whatever thread has sent it; may say something.
  std::function<void(const Seen&)> on_record;
  bool acknowledges = true;
  bool is_heard = true;  // by who sleeps until something comes
  int greets_after = 0;  // so many signs of life

  // Between it and its engine, under the mutex.
  mutable std::recursive_mutex mutex;
  std::deque<Bytes> incoming;
  std::vector<Seen> all_seen;
  std::uint64_t secret = 0;
  std::uint32_t sequence = 0, received = 0;
  std::uint32_t acknowledged = 0;  // of what it has said
  std::uint32_t flags = 0;         // of what it says
  std::atomic<int> drops = 0;
  // Whether its engine lets go of nothing that it was lent; and what it has by now.
  std::atomic<bool> keeps_lent = false;
  std::deque<std::uint64_t> lent;
  std::vector<std::size_t> parts;       // of each packet that it has gathered
  std::vector<std::size_t> lent_bytes;  // of each packet behind which something was lent
  /// One-sided operations, of memory that is in this process.
  struct OneSided {
    struct Move {
      std::byte* to;
      const std::byte* from;
      std::size_t bytes;
      std::uint64_t token;
    };
    bool is_offered = false;
    bool has_room_here = true;               // can use the memory of this process
    std::atomic<bool> is_held_back = false;  // what it has been told to move
    std::deque<Move> moves;
    std::vector<std::span<std::byte>> memories;
    std::size_t puts = 0, gets = 0;
    std::size_t handed_over = 0;  // how often several were, together
    std::size_t keys_forgotten = 0;
  };
  OneSided one_sided;
  Event event;
};

}  // namespace armature::harness
