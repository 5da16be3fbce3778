#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <list>
#include <memory>
#include <unordered_map>
#include <vector>

#include "message/copying.hpp"
#include "message/faster_way.hpp"
#include "message/landing.hpp"
#include "message/requests.hpp"
#include "message/sending.hpp"
#include "space/address_space.hpp"

namespace armature::message {

/// Is told what comes of messages.
class Receiver {
 public:
  Receiver() = default;
  Receiver(const Receiver&) = delete;
  Receiver& operator=(const Receiver&) = delete;

  /// An envelope has come. Returns the place of the bytes behind it.
  virtual Target begin(int from, const Envelope& envelope) = 0;
  /// All bytes are at their place.
  virtual void end(const Target& target) = 0;

 protected:
  ~Receiver() = default;
};

/// Gets the bytes of messages whose envelopes came alone. It copies them where it can read the
/// sender's memory, or the kernel can; else it asks the sender, which sends them. Its owner has a
/// lock around all calls.
class Fetching {
 public:
  Fetching(space::AddressSpace& space, Sending& sending, Receiver& receiver, Counts& counts)
      : space_(space), sending_(sending), receiver_(receiver), counts_(counts), landings_(space) {}
  Fetching(const Fetching&) = delete;
  Fetching& operator=(const Fetching&) = delete;
  ~Fetching();

  /// Begins to get what `arrival` announces or offers.
  void begin(const Arrival& arrival, const Target& target);
  /// Copies a message that is here to the place of its receive, which takes some time.
  void copy_later(std::unique_ptr<Arrival> arrival, const Target& target);

  /// A copy that is to be made without the lock, and then ended; nullptr: there is none.
  [[nodiscard]] Copying* next_copy();
  /// Ends a copy that was made, or could not be.
  void end(Copying& copying, bool is_made);
  [[nodiscard]] bool has_copies() const { return copies_to_begin_ > 0; }

  /// Asks those for whose rings there was no memory.
  void ask_all();
  [[nodiscard]] bool has_unasked() const { return !unasked_.empty(); }
  /// The place of what a sender has been asked for by that number, which comes in the ring now.
  [[nodiscard]] Target answered(std::uint64_t number);
  /// All of that has come. Where the kernel could have copied it, notes how long it took.
  void note_ring(const Target& target);
  /// Ends what has come from other nodes; whether there was something.
  bool take_in_landed();

  /// Nothing of the request is used any more. Not while a copy for it is made.
  void abandon(const ReceiveRequest& request);
  [[nodiscard]] bool is_copying_for(const ReceiveRequest& request) const;
  [[nodiscard]] bool is_idle() const;

 private:
  struct Question {
    int to;
    Envelope envelope;
  };
  struct Landed {
    Landing* landing;
    Target target;
  };

  void ask(int from, std::uint64_t offer, const Target& target);

  space::AddressSpace& space_;
  Sending& sending_;
  Receiver& receiver_;
  Counts& counts_;
  std::unordered_map<std::uint64_t, Target> asked_;
  std::uint64_t questions_ = 0;
  std::deque<Question> unasked_;
  std::vector<Landed> landing_;  // what comes from other nodes, straight to its place
  Landings landings_;
  std::list<Copying> copies_;
  std::size_t copies_to_begin_ = 0;  // of these
  std::vector<bool> refused_;        // by rank: the kernel has not let its memory be read
  FasterWay faster_;                 // where it has
};

}  // namespace armature::message
