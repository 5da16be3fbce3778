#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <list>
#include <memory>
#include <optional>
#include <unordered_map>
#include <vector>

#include "message/copying.hpp"
#include "message/faster_way.hpp"
#include "message/landing.hpp"
#include "message/matching.hpp"
#include "message/requests.hpp"
#include "message/sending.hpp"
#include "space/address_space.hpp"
#include "transport/mailbox.hpp"

namespace armature::message {

/// The receiver's half of a rank's messages. Its owner has a lock around all calls.
class Receiving {
 public:
  Receiving(space::AddressSpace& space, Sending& sending)
      : space_(space), sending_(sending), landings_(space) {}
  Receiving(const Receiving&) = delete;
  Receiving& operator=(const Receiving&) = delete;
  ~Receiving();

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
  [[nodiscard]] bool is_copying_for(const ReceiveRequest& request) const;

  /// A copy that is to be made without the lock, and then ended; nullptr: there is none.
  [[nodiscard]] Copying* next_copy();
  /// It was made, or could not be.
  void end(Copying& copying, bool is_made);
  [[nodiscard]] bool has_copies() const { return copies_to_begin_ > 0; }
  [[nodiscard]] Counts& counts() { return counts_; }

  /// The message that a receive would get.
  [[nodiscard]] std::optional<Came> probe(const Label& pattern);
  [[nodiscard]] std::unique_ptr<Arrival> take(const Label& pattern);
  void put_back(std::unique_ptr<Arrival> arrival);

  /// Takes in a message that the rank sends to itself.
  void take_own(const Label& label, Cursor from);
  /// Takes in what is in the rings; whether there was something.
  bool take_in_all(const space::Newcomers& newcomers);
  /// Takes into memory what waits at its sender: what does so for a while, or all. True where there
  /// is something: then the rank looks again.
  bool fetch(bool all);
  [[nodiscard]] bool has_something_to_fetch() const {
    return !elsewhere_.empty() || !unasked_.empty();
  }
  /// Whether nothing is on its way here.
  [[nodiscard]] bool is_idle() const;
  /// Forgets the rings of others.
  void forget_rings();

 private:
  /// One sender's ring, and what is being read from it.
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

  [[nodiscard]] Incoming* incoming_of(int source);
  [[nodiscard]] bool has_waited(const Arrival& arrival) const;
  void find_new_rings(const space::Newcomers& newcomers);
  bool take_in(Incoming& in);
  void begin(Incoming& in);
  void end(const Target& target);
  ReceiveRequest* match(const Label& label, std::size_t bytes);
  void add(std::unique_ptr<Arrival> arrival);
  void leave(const Arrival& arrival);
  std::unique_ptr<Arrival> remove(Arrival& arrival);
  void give(ReceiveRequest& request, std::unique_ptr<Arrival> arrival);
  void copy_announced(EnvelopeKind kind, int from, std::uint64_t number, const Target& target);
  bool take_in_landed();
  void ask(int from, std::uint64_t offer, const Target& target);
  void ask_all();

  space::AddressSpace& space_;
  Sending& sending_;
  std::vector<Incoming> incoming_;
  std::size_t heard_last_ = 0;  // of these, by receive_at_once
  std::uint32_t rings_seen_ = 0;
  PostedReceives posted_;
  WaitingMessages waiting_;
  std::list<Arrival*> elsewhere_;  // whose bytes are where they were sent, and not asked for
  struct Question {
    int to;
    Envelope envelope;
  };
  std::unordered_map<std::uint64_t, Target> asked_;
  struct Landed {
    Landing* landing;
    Target target;
  };
  std::vector<Landed> landing_;  // what comes from other nodes, straight to its place
  Landings landings_;
  std::list<Copying> copies_;
  std::size_t copies_to_begin_ = 0;  // of these
  std::vector<bool> refused_;        // by rank: the kernel has not let its memory be read
  FasterWay faster_;                 // where it has
  Counts counts_;
  std::deque<Question> unasked_;  // of these
  std::uint64_t questions_ = 0;
  std::uint64_t looks_ = 0;
};

}  // namespace armature::message
