#pragma once

#include <cstddef>
#include <cstdint>

#include "rmi/blocks.hpp"
#include "rmi/endpoint_context.hpp"
#include "rmi/inbox.hpp"
#include "rmi/left_calls.hpp"
#include "rmi/outbox.hpp"

// Methods never wait for room: a request of theirs that finds none is kept, in the overflow and in
// blocks. A rank that takes in requests faster than the next one does would keep ever more of it.
// So when much is kept, a rank that is not inside a method stops taking in. Its senders' rings fill
// up, and they stop in turn, back to those who make the requests by themselves and can wait.
//
// That alone could deadlock: ranks that forward to each other in a cycle, all of them full, none
// takes in, so none's ring gets empty. So a rank that is full because of one other shows for whom
// it waits. A rank that finds a cycle that it closes itself takes in what has come from the rank
// before it in the cycle. This one waits for nothing else, and what circulates becomes neither more
// nor less by passing on. What ranks show is a hint, and others send to the cycle, too. Hence a
// rank that has not made progress otherwise for a while takes in one ring's worth nevertheless, of
// each ring in its turn. So every rank goes on reading from every ring for ever, at worst slowly,
// and every ring gets empty. Inside a method nothing is held back: the answer it waits for may
// depend on what comes in.

namespace armature::rmi {

/// Decides when a rank that keeps much for others stops taking in, and what it takes in then.
class FlowControl {
 public:
  FlowControl(EndpointContext& context, Outbox& outbox, Inbox& inbox, LeftCalls& left,
              Blocks& blocks)
      : context_(context), outbox_(outbox), inbox_(inbox), left_calls_(left), blocks_(blocks) {}
  FlowControl(const FlowControl&) = delete;
  FlowControl& operator=(const FlowControl&) = delete;
  ~FlowControl() = default;

  /// Whether the rank, outside of methods, had better take nothing in.
  [[nodiscard]] bool must_hold_back() { return may_hold_back() && keeps_too_much(); }
  /// False where there is no question of it.
  [[nodiscard]] bool may_hold_back() const {
    return holds_back_ || outbox_.overflows() || blocks_.is_full(0);
  }
  /// Instead of taking in all that has come: the little that keeps cycles of full ranks going.
  void take_in_a_slice();
  /// Called when a method is over that the rank has called itself: lets others in, and waits while
  /// this rank keeps too much for them.
  void catch_up();

 private:
  [[nodiscard]] std::size_t backlog();
  [[nodiscard]] bool keeps_too_much();
  [[nodiscard]] int full_because_of() const;
  void hold_back(bool does);
  void show_that_full(int because_of);
  void run_left();
  bool take_in_from_cycle(int because_of, std::uint64_t now_ns);

  EndpointContext& context_;
  Outbox& outbox_;
  Inbox& inbox_;
  LeftCalls& left_calls_;
  Blocks& blocks_;
  std::size_t backlog_seen_ = 0;
  std::uint64_t backlog_since_ns_ = 0;  // it has not shrunk since
  std::uint64_t slice_ns_ = 0;          // when it took in something of the next ring all the same
  bool holds_back_ = false;
  bool shows_that_full_ = false;
  std::uint64_t asked_for_cycle_ns_ = 0;
};

}  // namespace armature::rmi
