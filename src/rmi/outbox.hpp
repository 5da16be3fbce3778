#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "armature/detail/request.hpp"
#include "base/sparse_table.hpp"
#include "rmi/blocks.hpp"
#include "rmi/endpoint_context.hpp"
#include "rmi/overflow.hpp"
#include "transport/channel.hpp"

namespace armature::rmi {

/// A rank's requests on their way out. It has a channel to each rank that it calls, and the room in
/// it. It keeps what a method sends while there is none, and requests that are held back to travel
/// together.
class Outbox {
 public:
  Outbox(EndpointContext& context, Blocks& blocks);
  Outbox(const Outbox&) = delete;
  Outbox& operator=(const Outbox&) = delete;
  ~Outbox() = default;

  // The compiled half of armature/detail/request.hpp.
  /// Waits for room, unless a method is under way: then the request overflows. A shared endpoint is
  /// held from here to commit_indirect().
  std::byte* find_room(detail::Outgoing& out, std::size_t bytes);
  /// Whether there is room, for a thread that executes no calls and holds the endpoint once. Where
  /// there is none, it waits without the endpoint, which others may use first when there is.
  [[nodiscard]] bool has_room_beside(detail::Outgoing& out, std::size_t bytes);
  /// nullptr when room was only found after what had come in had been executed.
  std::byte* find_room_at_once(detail::Outgoing& out, std::size_t bytes);
  /// Finds a block. Where more is on its way than should be, waits, and returns nullptr.
  std::byte* find_block_at_once(const detail::Outgoing& out, std::size_t bytes);
  void commit_indirect(detail::Outgoing& out);
  void wake(detail::Outgoing& out);

  /// Publishes what is held back.
  void flush() {
    if (!context_.publishes_directly()) publish_held();
  }
  /// Moves what has overflowed to the channels, as far as there is room.
  void drain_overflow();
  /// Whether flush() or drain_overflow() would get something out; asked before falling asleep.
  [[nodiscard]] bool has_to_send() const;
  /// The settings have changed; nothing is held back.
  void adopt_settings();

  // Overflow, for flow control.
  [[nodiscard]] bool overflows() const { return !overflowing_.empty(); }
  [[nodiscard]] std::size_t overflow_bytes() const;
  [[nodiscard]] std::size_t overflow_bytes(int to) const {
    return lanes_.find(static_cast<std::size_t>(to))->overflow.bytes();
  }
  /// The rank whose overflow is longest; -1 where there is none.
  [[nodiscard]] int longest_overflow() const;

  // Requests since the job began, counted before their receivers can see them: for the fence.
  [[nodiscard]] std::uint64_t sent(int to) const {
    const auto index = static_cast<std::size_t>(to);
    return lanes_.find(index) != nullptr ? outgoing_[index].sent : 0;
  }
  [[nodiscard]] std::uint64_t sent() const;
  /// The ranks to which any have gone.
  [[nodiscard]] const std::vector<int>& sent_to() const { return lanes_.indices(); }

  /// All ranks of the job start again with each other, as ranks go to other nodes: a fence of all
  /// is over, and nobody knows these channels any more. What was counted stays.
  void close_channels();

 private:
  struct Lane {  // the sender's side, beside detail::Outgoing
    transport::Channel* channel = nullptr;
    Overflow overflow;
    std::uint64_t in_channel = 0;    // out.written, while requests overflow
    std::byte* committed = nullptr;  // up to here requests have been seen by commit_indirect
    std::uint64_t consumed = 0;      // of the channel, when the overflow was drained last
  };

  [[nodiscard]] int index_of(const detail::Outgoing& out) const {
    return static_cast<int>(&out - outgoing_);
  }
  [[nodiscard]] bool is_ready(detail::Outgoing& out, std::size_t bytes);
  std::byte* look_for_room(detail::Outgoing& out, std::size_t bytes);
  void open(int to);
  [[nodiscard]] bool make_room(detail::Outgoing& out, Lane& lane, std::size_t bytes);
  std::byte* overflow(detail::Outgoing& out, Lane& lane, std::size_t bytes);
  void drain_overflow(int to);
  void publish(detail::Outgoing& out, Lane& lane);
  void publish_held();
  void choose_way(detail::Outgoing& out) const;

  EndpointContext& context_;
  space::AddressSpace& space_;
  Blocks& blocks_;
  detail::Outgoing* const outgoing_;  // to each rank, in the head of the rank's segment
  base::SparseTable<Lane> lanes_;
  std::vector<int> overflowing_;
};

}  // namespace armature::rmi
