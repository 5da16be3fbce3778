#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "message/copying.hpp"
#include "message/envelope.hpp"
#include "message/fetching.hpp"
#include "message/label.hpp"
#include "space/address_space.hpp"
#include "transport/mailbox.hpp"

namespace armature::message {

/// The rings from other ranks, and what is being read from them. Its owner has a lock around all
/// calls.
class IncomingRings {
 public:
  IncomingRings(space::AddressSpace& space, Receiver& receiver, Counts& counts)
      : space_(space), receiver_(receiver), counts_(counts) {}
  IncomingRings(const IncomingRings&) = delete;
  IncomingRings& operator=(const IncomingRings&) = delete;
  ~IncomingRings();

  /// Copies the next message of the pattern's source from the ring to its place; looks so often
  /// whether it is there. Nothing where it is no short one that matches and fits.
  [[nodiscard]] std::optional<Came> receive_at_once(const Label& pattern, std::span<std::byte> into,
                                                    int looks);
  /// Takes in what is in the rings at the beginning; whether there was something.
  bool take_in_all(const space::NewConnections& new_connections);

  /// Drops the bytes that come for that request.
  void abandon(const ReceiveRequest& request);
  [[nodiscard]] bool are_empty() const;
  void forget();

 private:
  /// The ring of one sender.
  struct Incoming {
    int from = -1;
    transport::Ring* ring = nullptr;
    Envelope envelope;
    std::size_t envelope_bytes = 0;
    bool has_begun = false;  // what it asks for
    std::size_t left = 0;    // of what is behind it
    Target target;

    [[nodiscard]] bool can_go_on() const {
      return ring->readable() > 0 || (envelope_bytes == sizeof(Envelope) && !has_begun);
    }
  };

  /// Whether there is something that this rank may see yet: always, but in a simulation with costs.
  [[nodiscard]] bool has_come(const Incoming& in) const;
  [[nodiscard]] Incoming* incoming_of(int source);
  void find_new(const space::NewConnections& new_connections);
  bool take_in(Incoming& in);

  space::AddressSpace& space_;
  Receiver& receiver_;
  Counts& counts_;
  std::vector<Incoming> incoming_;
  std::size_t heard_last_ = 0;  // of these, by receive_at_once
  std::uint32_t rings_seen_ = 0;
};

}  // namespace armature::message
