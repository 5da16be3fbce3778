#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "base/sparse_table.hpp"
#include "rmi/dispatcher.hpp"
#include "rmi/endpoint_context.hpp"
#include "rmi/incoming.hpp"
#include "rmi/method_threads.hpp"
#include "rmi/traced_calls.hpp"
#include "space/new_connections.hpp"

namespace armature::rmi {

/// The channels by which requests come to a rank: when to look at each, where one request ends and
/// the next begins, and what their senders are told. The dispatcher executes the requests, one at a
/// time, on the rank's own stack.
class Inbox {
 public:
  Inbox(EndpointContext& context, Dispatcher& dispatcher, MethodThreads& methods);
  Inbox(const Inbox&) = delete;
  Inbox& operator=(const Inbox&) = delete;
  ~Inbox() = default;

  /// Whether something has come that was not looked at.
  [[nodiscard]] bool has_news() const;
  /// Whether something may have come, asked in a few instructions: true where there are too many
  /// channels for that.
  [[nodiscard]] bool has_come();
  void find_new_channels() {
    if (channels_.last() != channels_seen_) [[unlikely]]
      meet_new_channels();
  }
  /// Executes what has come, of each channel in turn. Returns whether something had come.
  bool receive_all();
  /// Receives from the channel of that rank, or from the next one that has something. Returns
  /// whether there was something.
  bool receive_from(int rank);
  bool receive_next();
  /// The channel of the request whose method runs on top; nullptr where there is none.
  [[nodiscard]] Incoming* receiving() const { return receiving_; }
  /// Does what concurrent methods leave: answers, objects that were to go behind them, and calls
  /// that no thread is free for. These run as those that come.
  void run_queued() {
    if (methods_.has_news()) [[unlikely]]
      run_all_queued();
  }
  /// The next look is at once, at streams too.
  void stop_lagging();

  // Requests from that rank, or from all, whose method is over: for the fence.
  [[nodiscard]] std::uint64_t executed(int from) const;
  [[nodiscard]] std::uint64_t executed() const;
  /// rmi_wait() waits for one more executed request than it has waited for so far. Which one that
  /// is, by number.
  [[nodiscard]] std::uint64_t await_one_more() { return ++waited_; }
  /// While one lives, the rank goes on with its program as soon as a call is over.
  class LeavesSoon {
   public:
    explicit LeavesSoon(Inbox& inbox) : inbox_(inbox), before_(inbox.leaves_soon_) {
      if (!inbox.context_.is_shared) inbox.leaves_soon_ = true;
    }
    LeavesSoon(const LeavesSoon&) = delete;
    LeavesSoon& operator=(const LeavesSoon&) = delete;
    ~LeavesSoon() {
      if (!inbox_.context_.is_shared) inbox_.leaves_soon_ = before_;
    }

   private:
    Inbox& inbox_;
    const bool before_;
  };
  /// A fence is over: so many executed requests count as waited for.
  void count_as_waited(std::uint64_t executed) { waited_ = std::max(waited_, executed); }

  /// All ranks of the job start again with each other, as ranks go to other nodes: a fence of all
  /// is over, and nothing is on its way. What was counted stays. First nobody knows channels of
  /// others any more, then senders close them (Outbox::close_channels).
  void forget_channels();

 private:
  struct Found {
    std::uint64_t requests, bytes;
    std::uint64_t sent_back_before;  // requests to the sender, when the look began
  };

  class Receives {
   public:
    Receives(Incoming*& which, Incoming& in) : which_(which), below_(which) { which = &in; }
    Receives(const Receives&) = delete;
    Receives& operator=(const Receives&) = delete;
    ~Receives() { which_ = below_; }

   private:
    Incoming*& which_;
    Incoming* const below_;
  };

  void run_all_queued();
  void meet_new_channels();
  void note_stream(Incoming& in, const Found& found);
  [[nodiscard]] bool waits_for_call(Incoming& in, const Found& found);
  [[nodiscard]] std::uint64_t sent_back(const Incoming& in) const;
  [[nodiscard]] std::uint64_t look(Incoming& in);
  bool receive(Incoming& in);
  bool execute_new(Incoming& in, std::uint64_t published);
  void require_in_ring(const Incoming& in, std::uint64_t published) const;
  void execute_until(std::uint64_t published, Incoming& in, std::uint8_t depth);
  void release(Incoming& in);

  EndpointContext& context_;
  space::AddressSpace& space_;
  Dispatcher& dispatcher_;
  MethodThreads& methods_;
  const bool may_lag_;  // behind a stream
  const space::NewConnections& channels_;
  std::uint32_t channels_seen_ = 0;
  // Each stays in place: methods may wait, and meet channels that are new.
  std::vector<std::unique_ptr<Incoming>> incoming_;
  Incoming* receiving_ = nullptr;
  std::size_t next_ = 0;      // of receive_next()
  bool leaves_soon_ = false;  // by the rank's own thread; false where others execute calls
  // Of channels that were forgotten, by sender; made when it is needed.
  std::unique_ptr<base::SparseTable<std::uint64_t>> executed_before_;
  std::uint64_t waited_ = 0;
  std::unique_ptr<TracedCalls> traced_;  // nullptr: no call has been traced yet
};

}  // namespace armature::rmi
