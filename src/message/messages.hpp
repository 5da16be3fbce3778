#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "base/sparse_table.hpp"
#include "space/address_space.hpp"
#include "transport/mailbox.hpp"
#include "wait/context_slot.hpp"
#include "wait/rank_context.hpp"
#include "wait/work_source.hpp"

namespace armature::message {

/// A message that has arrived whole and waits for its receiver.
struct Message {
  int from = -1;
  std::int32_t tag = 0;
  std::vector<std::byte> data;
  std::uint64_t arrival = 0;  // its place in the order of arrivals
};

/// This rank's messages: rings to and from the others, what has arrived, what is half here.
/// Tags below zero are the library's own. A rank may have a second thread, which executes calls:
/// what both look at is under a lock, which nobody holds who waits; a ring is its writer's.
class Messages final : public wait::WorkSource {
 public:
  /// It is the rank's until it ends.
  explicit Messages(wait::RankContext& rank);
  ~Messages() override;

  /// Takes what memory it needs to send to that rank: from then on send() takes none of this rank's
  /// band. Throws Error(out_of_memory).
  void open(int to, const char* call);
  /// Blocks, delivering, while the receiver's ring is full.
  void send(int to, std::int32_t tag, std::span<const std::byte> data, const char* call);
  /// Blocks until there is a message from that rank (-1: anyone) with that tag, and takes it.
  Message receive(int from, std::int32_t tag, const char* call, space::Awaiting what);
  /// The same, if there is one. Never blocks.
  std::optional<Message> try_receive(int from, std::int32_t tag) {
    (void)take_in();
    return find(from, tag);
  }
  /// Puts one back as the first of its sender.
  void put_back(Message message);
  /// Takes in what has arrived.
  void deliver() override {
    if (take_in()) rank_.done.fetch_add(1, std::memory_order_relaxed);
  }

  /// All ranks of the job begin anew with each other, as ranks go to other nodes: nothing is on its
  /// way. First nobody knows rings of others any more, then nobody has any.
  void forget_rings();
  void close_rings();

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
  transport::Ring* begin_writing(int to, std::int32_t tag, std::span<const std::byte> data,
                                 const char* call);
  std::optional<Message> next_to_write(int to);
  void give_up_writing(int to);
  void write_whole(transport::Ring& ring, int to, std::int32_t tag, std::span<const std::byte> data,
                   const char* call);
  void write(transport::Ring& ring, int to, std::span<const std::byte> data, const char* call);
  void find_new_rings();
  /// Whether there was something. Never blocks.
  bool take_in() {
    // Programs of puts and remote calls have no messages.
    if (newcomers_.last() == 0) [[likely]]
      return false;
    return take_in_all();
  }
  bool take_in_all();
  bool take_in(Incoming& incoming);
  void keep(Message message);
  std::optional<Message> find(int from, std::int32_t tag);

  wait::RankContext& rank_;
  space::AddressSpace& space_;
  const space::Newcomers& newcomers_;
  std::mutex mutex_;
  base::SparseTable<transport::Ring*> to_;
  std::vector<int> writing_;                   // to whom a message is being written
  std::vector<std::pair<int, Message>> held_;  // for these, in the order in which they were sent
  std::vector<Incoming> incoming_;
  std::uint32_t rings_seen_ = 0;
  /// What nobody has received yet, by tag and sender: a receiver that is late finds its message
  /// among many others at once.
  std::map<std::pair<std::int32_t, int>, std::deque<Message>> arrived_;
  std::uint64_t arrivals_ = 0;
};

inline constexpr wait::ContextSlot<Messages> messages_slot{1};
/// That rank's.
inline Messages& messages_of(const wait::RankContext& rank) {
  return *messages_slot.in(rank.slots);
}

}  // namespace armature::message
