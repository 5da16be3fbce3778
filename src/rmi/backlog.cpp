// Methods never wait for room: what they send and finds none is kept, in the overflow and in
// blocks. A rank that takes in requests faster than the next one does would keep ever more of it.
// So when much is kept, a rank that is not inside a method stops taking in, its senders' rings fill
// up, and they stop in turn, back to those who make the requests by themselves and can wait.
//
// That alone could deadlock: ranks that forward to each other in a circle, all of them full, none
// takes in, so none's ring gets empty. So a rank that is full because of one other shows for whom
// it waits, and who finds a circle that it closes itself takes in what has come from the rank
// before it in the circle: this one waits for nothing else, and what circulates becomes neither
// more nor less by passing on. What ranks show is a hint, and others send to the circle, too; hence
// a rank that has not got on otherwise for a while takes in one ring's worth nevertheless, of each
// ring in its turn. So every rank goes on reading from every ring for ever, at worst slowly, and
// every ring gets empty. Inside a method nothing is held back: the answer it waits for may depend
// on what comes in.
#include <algorithm>
#include <utility>

#include "base/clock.hpp"
#include "rmi/circle.hpp"
#include "rmi/endpoint.hpp"
#include "wait/wait.hpp"

namespace armature::rmi {

namespace {
constexpr std::size_t backlog_max = 1024 * 1024;
constexpr std::uint64_t patience_ns = 10'000'000;
constexpr std::uint64_t ask_after_ns = 500'000;
}  // namespace

std::size_t Endpoint::backlog() {
  std::size_t bytes = 0;
  for (const int to : overflowing_) bytes += overflow_bytes(to);
  if (blocks_.is_full(0)) {
    blocks_.free_done();
    bytes += blocks_.excess();
  }
  return bytes;
}

bool Endpoint::keeps_too_much() {
  const std::size_t now = backlog();
  if (now <= backlog_max) {
    backlog_seen_ = 0;
    show_that_full(-1);
    return false;
  }
  if (backlog_seen_ == 0 || now < backlog_seen_) backlog_since_ns_ = base::now_ns();
  backlog_seen_ = now;
  return true;
}

/// The rank but for which this one would not be full; -1 when there is none.
int Endpoint::full_because_of() const {
  const auto most = std::max_element(
      overflowing_.begin(), overflowing_.end(),
      [this](int one, int other) { return overflow_bytes(one) < overflow_bytes(other); });
  const bool is_alone =
      most != overflowing_.end() && backlog_seen_ - overflow_bytes(*most) <= backlog_max;
  return is_alone ? *most : -1;
}

/// Relaxed: a hint, by which nothing else is found.
void Endpoint::show_that_full(int because_of) {
  if (because_of < 0 && !std::exchange(shows_that_full_, false)) return;
  shows_that_full_ = because_of >= 0;
  space_.slot(space_.me()).full_until.store(because_of + 1, std::memory_order_relaxed);
}

/// From the rank before this one in a circle, if one is to be seen; whether there was something.
bool Endpoint::take_in_from_circle(int because_of, std::uint64_t now_ns) {
  const bool asks = now_ns - asked_for_circle_ns_ > ask_after_ns;
  if (asks) asked_for_circle_ns_ = now_ns;
  const int before = before_in_circle(space_, space_.me(), because_of, asks);
  if (before < 0) return false;
  asked_for_circle_ns_ = 0;  // it may go on at once
  for (std::size_t i = 0; i < incoming_.size(); ++i)
    if (incoming_[i]->from == before) return take_in(*incoming_[i]);
  return false;
}

bool Endpoint::take_in(Incoming& in) {
  const std::uint64_t before = in.read;
  receive(in);
  return in.read != before;
}

void Endpoint::catch_up() {
  deliver();
  if (must_hold_back()) {
    wait::WaitFor wait{.what = space::Awaiting::room,
                       .peer = full_because_of(),
                       .rings = false,
                       .call = "remote call"};
    wait::wait_until(wait, [&] {
      deliver();
      return !must_hold_back();
    });
  }
  sender_.is_late = false;
}

void Endpoint::take_in_a_slice() {
  const int because_of = full_because_of();
  show_that_full(because_of);
  const std::uint64_t now_ns = base::now_ns();
  const bool circulates = because_of >= 0 && take_in_from_circle(because_of, now_ns);
  // What circulates comes and goes: that says nothing of the others.
  if (now_ns - (circulates ? slice_ns_ : backlog_since_ns_) >= patience_ns) {
    slice_ns_ = now_ns;
    for (std::size_t tried = 0; tried < incoming_.size(); ++tried)
      if (take_in(*incoming_[slice_turn_++ % incoming_.size()])) break;
    backlog_seen_ = 0;  // the patience begins anew
  }
  fences_.advance();
}

}  // namespace armature::rmi
