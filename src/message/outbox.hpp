#pragma once

#include <cstddef>
#include <new>
#include <span>
#include <vector>

#include "armature/detail/transfer.hpp"
#include "base/sparse_table.hpp"
#include "message/cursor.hpp"
#include "message/envelope.hpp"
#include "space/address_space.hpp"
#include "transport/mailbox.hpp"
#include "wait/notifier.hpp"

namespace armature::message {

/// An envelope, and what is behind it, on the way into a ring. It stays at its place until it is
/// written, or removed.
struct Outgoing {
  Envelope envelope;
  Cursor data;
  int to = -1;
  void (*written)(Outgoing& outgoing) = nullptr;  // all of it: told once, under the outbox' lock

 private:
  friend class Outbox;
  std::size_t envelope_written_ = 0;
  Outgoing* next_ = nullptr;
};

/// The rings from one rank to others, and what waits for room in them, in the order in which it was
/// sent. Its owner has a lock around all calls.
class Outbox {
 public:
  explicit Outbox(space::AddressSpace& space) : space_(space) {}

  /// Makes the ring to that rank, if there is none. Throws Error(out_of_memory) naming the call.
  void open(int to, const char* call) { (void)destination(to, call); }
  /// Writes it whole, now. False, and nothing has happened, where there is no room for that.
  [[nodiscard]] bool write_at_once(int to, const Envelope& envelope,
                                   std::span<const std::byte> data, const char* call) {
    Destination* const there = to_.find(static_cast<std::size_t>(to));
    if (there == nullptr || there->ring == nullptr || there->first != nullptr) [[unlikely]]
      return write_behind_others(to, envelope, data, call);
    // The envelope is made at its place: a copy of it would wait for its words.
    std::byte* const place = there->ring->place_for(sizeof envelope + data.size());
    if (place == nullptr) [[unlikely]]
      return write_behind_others(to, envelope, data, call);
    new (place) Envelope(envelope);
    detail::copy(place + sizeof envelope, data.data(), data.size());
    there->ring->publish(sizeof envelope + data.size());
    wait::notify(space_.slot(to));
    return true;
  }
  /// Writes as much as there is room for; push() does the rest.
  void add(Outgoing& outgoing, const char* call);
  /// Whether it wrote anything.
  bool push();
  /// Lets go of something, whose bytes are not looked at any more then. Where a part of it is in
  /// the ring the rest follows from a copy: what comes behind it must not be taken for that.
  void give_up(Outgoing& outgoing, bool is_read_no_more);
  [[nodiscard]] bool is_empty() const { return waiting_.empty(); }

  /// The rings are freed: all that was in them has been read.
  void close();

 private:
  struct Destination {
    transport::Ring* ring = nullptr;
    Outgoing* first = nullptr;
    Outgoing* last = nullptr;
  };

  Destination& destination(int to, const char* call);
  bool write_behind_others(int to, const Envelope& envelope, std::span<const std::byte> data,
                           const char* call);
  void replace(Outgoing& outgoing, Outgoing* by);
  bool write(Destination& destination);
  static bool write_one(transport::Ring& ring, Outgoing& outgoing);

  space::AddressSpace& space_;
  base::SparseTable<Destination> to_;
  std::vector<int> waiting_;  // for whom something waits
};

}  // namespace armature::message
