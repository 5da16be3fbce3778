#include "rmi/flow_control.hpp"

#include <utility>

#include "base/clock.hpp"
#include "rmi/flow_cycle.hpp"
#include "wait/wait.hpp"

namespace armature::rmi {

namespace {
constexpr std::size_t backlog_max = 1024 * 1024;
constexpr std::uint64_t patience_ns = 10'000'000;
constexpr std::uint64_t ask_after_ns = 500'000;
}  // namespace

std::size_t FlowControl::backlog() {
  std::size_t bytes = outbox_.overflow_bytes();
  if (blocks_.is_full(0)) {
    blocks_.free_done();
    bytes += blocks_.excess();
  }
  return bytes;
}

bool FlowControl::keeps_too_much() {
  const std::size_t now = backlog();
  if (now <= backlog_max) {
    backlog_seen_ = 0;
    hold_back(false);
    show_that_full(-1);
    return false;
  }
  if (backlog_seen_ == 0 || now < backlog_seen_) backlog_since_ns_ = base::now_ns();
  backlog_seen_ = now;
  return true;
}

/// The rank but for which this one would not be full; -1 when there is none.
int FlowControl::full_because_of() const {
  const int longest = outbox_.longest_overflow();
  const bool is_alone =
      longest >= 0 && backlog_seen_ - outbox_.overflow_bytes(longest) <= backlog_max;
  return is_alone ? longest : -1;
}

/// A rank that holds back looks again when its patience is over, of which nobody notifies it.
void FlowControl::hold_back(bool does) {
  if (std::exchange(holds_back_, does) != does)
    context_.rank.holds_back.store(does, std::memory_order_relaxed);
}

/// Relaxed: a hint, by which nothing else is found.
void FlowControl::show_that_full(int because_of) {
  if (because_of < 0 && !std::exchange(shows_that_full_, false)) return;
  shows_that_full_ = because_of >= 0;
  const space::AddressSpace& space = context_.space;
  space.slot(space.me()).full.until.store(because_of + 1, std::memory_order_relaxed);
}

/// Takes in from the rank before this one in a cycle, if one is to be seen; whether there was
/// something.
bool FlowControl::take_in_from_cycle(int because_of, std::uint64_t now_ns) {
  const bool asks = now_ns - asked_for_cycle_ns_ > ask_after_ns;
  if (asks) asked_for_cycle_ns_ = now_ns;
  const int previous = previous_in_cycle(context_.space, context_.space.me(), because_of, asks);
  if (previous < 0) return false;
  asked_for_cycle_ns_ = 0;  // it may go on at once
  const bool found = inbox_.receive_from(previous);
  run_left();
  return found;
}

void FlowControl::run_left() {
  if (context_.has_service && !context_.is_service_thread()) left_calls_.run_all();
}

void FlowControl::take_in_a_slice() {
  const int because_of = full_because_of();
  hold_back(true);
  show_that_full(because_of);
  const std::uint64_t now_ns = base::now_ns();
  const bool circulates = because_of >= 0 && take_in_from_cycle(because_of, now_ns);
  // Requests that circulate come and go: that says nothing of the others.
  if (now_ns - (circulates ? slice_ns_ : backlog_since_ns_) < patience_ns) return;
  slice_ns_ = now_ns;
  (void)inbox_.receive_next();
  run_left();
  backlog_seen_ = 0;  // the patience starts again
}

void FlowControl::catch_up() {
  context_.endpoint.deliver();
  if (must_hold_back()) {
    wait::WaitFor wait{.what = space::Awaiting::room,
                       .peer = full_because_of(),
                       .is_notified = false,
                       .call = "remote call"};
    wait::wait_until(wait, [&] {
      context_.endpoint.deliver();
      return !must_hold_back();
    });
  }
  context_.sender.is_late = false;
}

}  // namespace armature::rmi
