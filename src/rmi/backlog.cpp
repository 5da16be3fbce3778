// Methods never wait for room: what they send and finds none is kept, in the overflow and in
// blocks. A rank that takes in requests faster than the next one does would keep ever more of it.
// So when much is kept, a rank that is not inside a method stops taking in, its senders' rings fill
// up, and they stop in turn, back to those who make the requests by themselves and can wait.
//
// That alone could deadlock: ranks that forward to each other in a circle, all of them full, none
// takes in, so none's ring gets empty. So a rank that is full shows for whom it waits, and who
// finds a circle that it closes itself takes in what has come from the rank before it in the
// circle: this one waits for nothing else, and what circulates becomes neither more nor less by
// that. What ranks show is a hint, and another receiver may hide a circle; hence a rank whose
// backlog has not shrunk for a while takes in one ring's worth nevertheless. So every rank goes on
// reading from every ring for ever, at worst slowly, and every ring gets empty. Inside a method
// nothing is held back: the answer it waits for may depend on what comes in.
#include <utility>

#include "base/clock.hpp"
#include "rmi/circle.hpp"
#include "rmi/endpoint.hpp"

namespace armature::rmi {

namespace {
constexpr std::size_t backlog_max = 1024 * 1024;
constexpr std::uint64_t patience_ns = 10'000'000;
constexpr std::uint64_t ask_after_ns = 500'000;
}  // namespace

std::size_t Endpoint::backlog() {
  std::size_t bytes = 0;
  for (const int to : overflowing_) bytes += lanes_[static_cast<std::size_t>(to)].overflow.bytes();
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
    show_that_full(0);
    return false;
  }
  if (backlog_seen_ == 0 || now < backlog_seen_) backlog_since_ns_ = base::now_ns();
  backlog_seen_ = now;
  return true;
}

/// Relaxed: a hint, by which nothing else is found.
void Endpoint::show_that_full(std::int32_t until) {
  if (until == 0 && !std::exchange(shows_that_full_, false)) return;
  shows_that_full_ = until != 0;
  space_.slot(space_.me()).full_until.store(until, std::memory_order_relaxed);
}

/// -1 when there is none to be seen.
int Endpoint::before_me_in_circle() {
  if (overflowing_.empty()) return -1;
  const std::uint64_t now_ns = base::now_ns();
  const bool asks = now_ns - asked_for_circle_ns_ > ask_after_ns;
  if (asks) asked_for_circle_ns_ = now_ns;
  const int before = before_in_circle(space_, space_.me(), overflowing_.front(), asks);
  if (before >= 0) asked_for_circle_ns_ = 0;  // it may go on at once
  return before;
}

void Endpoint::take_in_a_slice() {
  show_that_full(overflowing_.empty() ? 0 : overflowing_.front() + 1);
  if (const int before = before_me_in_circle(); before >= 0) {
    for (std::size_t i = 0; i < incoming_.size(); ++i)
      if (incoming_[i]->from == before) return receive(*incoming_[i]), fences_.advance();
  }
  if (base::now_ns() - backlog_since_ns_ < patience_ns) return fences_.advance();
  for (std::size_t tried = 0; tried < incoming_.size(); ++tried) {
    Incoming& in = *incoming_[slice_turn_++ % incoming_.size()];
    const std::uint64_t before = in.read;
    receive(in);
    if (in.read != before) break;
  }
  backlog_seen_ = 0;  // the patience begins anew
  fences_.advance();
}

}  // namespace armature::rmi
