#pragma once

#include <cstddef>
#include <cstdint>
#include <list>
#include <memory>
#include <optional>
#include <span>

#include "message/copying.hpp"
#include "message/fetching.hpp"
#include "message/incoming_rings.hpp"
#include "message/matching.hpp"
#include "message/requests.hpp"
#include "message/sending.hpp"
#include "space/address_space.hpp"

namespace armature::message {

/// The receiver's half of a rank's messages: which receive gets which message. Its owner has a lock
/// around all calls.
class Receiving final : private Receiver {
 public:
  Receiving(space::AddressSpace& space, Sending& sending)
      : sending_(sending),
        fetching_(space, sending, *this, counts_),
        rings_(space, *this, counts_) {}
  /// Receives the next message of the pattern's source, where no other message and no receive
  /// waits: looks so often whether it is there. Nothing where it is no short one that matches and
  /// fits.
  [[nodiscard]] std::optional<Came> receive_at_once(const Label& pattern, std::span<std::byte> into,
                                                    int looks);
  void start(ReceiveRequest& request);
  /// Begins the receive of a message that take() has given.
  void start(ReceiveRequest& request, std::unique_ptr<Arrival> arrival);
  /// Ends a receive that waits. False where a message has matched it already.
  bool cancel(ReceiveRequest& request) { return posted_.withdraw(request); }
  /// Lets go of a request that is not over: nothing of it is used any more. Not while a copy for
  /// it is made.
  void abandon(ReceiveRequest& request);

  /// The message that a receive would get.
  [[nodiscard]] std::optional<Came> probe(const Label& pattern);
  [[nodiscard]] std::unique_ptr<Arrival> take(const Label& pattern);
  void put_back(std::unique_ptr<Arrival> arrival);

  /// Takes in a message that the rank sends to itself.
  void take_own(const Label& label, Cursor from);
  /// Takes in what has come; whether there was something.
  bool take_in_all(const space::NewConnections& new_connections);
  /// Takes into memory what waits at its sender: what does so for a while, or all. True where there
  /// is something: then the rank looks again.
  bool fetch(bool all);
  [[nodiscard]] bool has_something_to_fetch() const {
    return !elsewhere_.empty() || fetching_.has_unasked();
  }

  /// The copies that are to be made without the lock.
  [[nodiscard]] Fetching& fetching() { return fetching_; }
  [[nodiscard]] Counts& counts() { return counts_; }
  /// Forgets the rings of others. Nothing is on its way here.
  void forget_rings();

 private:
  /// Messages that no receive has got, which it owns.
  struct Waiting final : WaitingMessages {
    ~Waiting();
  };

  Target begin(int from, const Envelope& envelope) override;
  void end(const Target& target) override;

  [[nodiscard]] bool has_waited(const Arrival& arrival) const;
  ReceiveRequest* match(const Label& label, std::size_t bytes);
  void add(std::unique_ptr<Arrival> arrival);
  void leave(const Arrival& arrival);
  std::unique_ptr<Arrival> remove(Arrival& arrival);
  void give(ReceiveRequest& request, std::unique_ptr<Arrival> arrival);

  Sending& sending_;
  Counts counts_;
  PostedReceives posted_;
  Waiting waiting_;                // outlives those below, which may have a message of it
  std::list<Arrival*> elsewhere_;  // whose bytes are where they were sent, and not asked for
  Fetching fetching_;
  IncomingRings rings_;
  std::uint64_t looks_ = 0;
};

}  // namespace armature::message
