#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <list>
#include <memory>
#include <optional>
#include <span>
#include <utility>

#include "message/receiving.hpp"
#include "message/requests.hpp"
#include "message/sending.hpp"
#include "space/address_space.hpp"
#include "wait/biased_mutex.hpp"
#include "wait/context_slot.hpp"
#include "wait/rank_context.hpp"
#include "wait/running_rank.hpp"
#include "wait/wait.hpp"
#include "wait/work_source.hpp"

namespace armature::message {

class Messages;

/// An operation that a handle has. The handle may outlive the rank: the operation is over then.
struct OpenOperation {
  explicit OpenOperation(Messages& of) : messages(&of) {}

  /// The rank has left the job. Under the lock.
  void (*end)(OpenOperation& operation, Sending& sending, Receiving& receiving) = nullptr;
  std::atomic<Messages*> messages;  // nullptr: they have ended
  std::list<OpenOperation*>::iterator place;
};

/// A rank's messages: what it sends, what it wants to receive, what has come and nobody has
/// received. All of it lies in the rank's own memory, so it moves and is checkpointed with a
/// virtual rank.
///
/// A rank may have a second thread, which executes calls, and threads that the program starts: all
/// is under one lock, which nobody holds who waits. Its owner is the rank's own thread, where there
/// is no second one.
///
/// A rank that waits, for whatever, takes long messages into its memory that no receive has matched
/// for a while. So a sender does not wait for ever for a receiver that waits, too.
class Messages final : public wait::WorkSource {
 public:
  /// Becomes the rank's until it ends.
  explicit Messages(wait::RankContext& rank);
  ~Messages() override;

  /// Takes what memory it needs to send to that rank: from then on a short message takes none of
  /// this rank's segment. Throws Error(out_of_memory).
  void open(int to, const char* call);

  void start(SendRequest& request, const char* call);
  void start(ReceiveRequest& request);
  /// Begins the receive of a message that take() has given.
  void start(ReceiveRequest& request, std::unique_ptr<Arrival> arrival);
  /// Waits until it is over, delivering. Throws Error(rank_lost); then nothing is left of the
  /// request.
  void wait(SendRequest& request, const char* call);
  void wait(ReceiveRequest& request, const char* call, space::Awaiting what);
  /// Whether it is over; delivers.
  bool advance(SendRequest& request);
  bool advance(ReceiveRequest& request);
  /// Ends a receive that waits. False where a message has matched it already.
  bool cancel(ReceiveRequest& request);
  /// Ends a send for whose bytes its receiver, on another node, has not asked, and need not. False
  /// where somebody may be reading them.
  bool cancel(SendRequest& request);

  /// Lets go of the request, whether it is over or not: nothing of it is used any more. A copy
  /// that another thread makes for it is awaited.
  void abandon(ReceiveRequest& request);

  /// Lets go of the request, which is not looked at any more.
  void abandon(SendRequest& request);

  /// Has the operation told when the rank leaves, until it is closed.
  void open(OpenOperation& operation);
  void close(OpenOperation& operation);

  /// A short message, now; nobody waits. False, and nothing has happened, where that cannot be.
  [[nodiscard]] bool send_at_once(const Address& address, std::span<const std::byte> data,
                                  const char* call);
  /// start() and wait().
  void send(const Address& address, std::span<const std::byte> data, const char* call);
  ReceiveRequest::Outcome receive(const Label& pattern, std::span<std::byte> into, const char* call,
                                  space::Awaiting what);

  /// The message that a receive would get now; delivers.
  [[nodiscard]] std::optional<Came> probe(const Label& pattern);
  /// Takes the message that a receive would get: nothing else gets it. nullptr where there is none,
  /// or its bytes are on their way.
  [[nodiscard]] std::unique_ptr<Arrival> take(const Label& pattern);
  /// The message waits again, as the first of all.
  void put_back(std::unique_ptr<Arrival> arrival);

  /// Whether others than the rank's own thread have called.
  [[nodiscard]] bool are_shared() const { return mutex_.is_shared(); }
  /// How what was received came, so far.
  [[nodiscard]] const Counts& counts() { return receiving_.counts(); }

  /// Takes in what has arrived, and goes on with what was begun.
  void deliver() override {
    if (take_in()) rank_.done.fetch_add(1, std::memory_order_relaxed);
  }
  /// Whether what waits at its sender is to be looked at again.
  bool has_work() override { return looks_again_.load(std::memory_order_relaxed); }

  /// All ranks of the job start again with each other, as ranks go to other nodes.
  class Renewal {
   public:
    explicit Renewal(Messages& messages) : messages_(messages) {}
    /// Waits until nothing of this rank's is on its way any more. Called by all ranks together.
    void settle(const char* call);
    /// Forgets the rings of others; and then, when all have, frees the own ones.
    void forget_rings();
    void close_rings();

   private:
    Messages& messages_;
  };

 private:
  /// Holds the lock; when it has given it back, makes the copies that were found meanwhile.
  class Locked {
   public:
    explicit Locked(Messages& messages) : messages_(messages) {
      lock_.emplace(messages.mutex_, messages.is_owner());
    }
    Locked(const Locked&) = delete;
    Locked& operator=(const Locked&) = delete;
    ~Locked() noexcept(false);

    /// Takes in what has come, and goes on with what was begun; whether there was something.
    bool take_in_all(bool fetches_all);

   private:
    void make_copies();

    Messages& messages_;
    std::optional<wait::BiasedMutex::Lock> lock_;
  };
  void tell_those_without_the_lock();

  // The network's thread does not look at what the rank may just change (layer/threads.cpp).
  [[nodiscard]] bool is_owner() const {
    return wait::running_rank() == &rank_ && !rank_.has_second_thread;
  }

  /// Whether there was something. Never blocks.
  bool take_in() {
    // Programs of puts and remote calls have no messages.
    if (new_connections_.last() == 0 && !is_pushing_.load(std::memory_order_relaxed)) [[likely]]
      return false;
    return take_in_all();
  }
  bool take_in_all();
  /// Whether nothing comes from that rank any more, in a job that goes on after deaths.
  [[nodiscard]] bool is_dead(int rank) const;
  [[nodiscard]] std::optional<Came> receive_at_once(const Label& pattern,
                                                    std::span<std::byte> into);
  bool give_up(SendRequest& request);
  bool give_up(ReceiveRequest& request);
  bool let_go(ReceiveRequest& request);

  wait::RankContext& rank_;
  space::AddressSpace& space_;
  const space::NewConnections& new_connections_;
  wait::BiasedMutex mutex_;
  static constexpr std::uint32_t at_once_in_a_row = 64;
  std::uint32_t at_once_ = 0;  // receives that may not have taken anything in; under the lock
  Sending sending_;
  Receiving receiving_;
  std::list<OpenOperation*> open_;
  // Used without the lock:
  std::atomic<bool> is_pushing_ = false;   // of sending_
  std::atomic<bool> looks_again_ = false;  // receiving_ has something to fetch
};

inline constexpr wait::ContextSlot<Messages> messages_slot{1};
/// The messages of that rank.
inline Messages& messages_of(const wait::RankContext& rank) {
  return *messages_slot.in(rank.slots);
}

/// Throws Error(rank_lost) where the request is of a rank that has died.
void require_not_lost(bool is_lost, int rank, const char* call);

/// Describes the wait of a rank that wants such a message.
inline wait::WaitFor wait_for(const Label& pattern, const char* call,
                              space::Awaiting what = space::Awaiting::message) {
  return {.what = what,
          .peer = pattern.source,
          .detail = static_cast<std::uint64_t>(std::int64_t{pattern.tag}),
          .call = call};
}

}  // namespace armature::message
