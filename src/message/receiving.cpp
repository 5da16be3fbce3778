#include "message/receiving.hpp"

#include <algorithm>
#include <new>
#include <utility>

#include "base/clock.hpp"
#include "base/fail.hpp"
#include "wait/ordered.hpp"

namespace armature::message {

Receiving::Waiting::~Waiting() {
  for (WaitingMessage* const one : in_order()) delete static_cast<Arrival*>(one);
}

std::optional<Came> Receiving::receive_at_once(const Label& pattern, std::span<std::byte> into,
                                               int looks) {
  if (pattern.source == Label::any || posted_.size() != 0 || waiting_.size() != 0)
    return std::nullopt;
  const auto came = rings_.receive_at_once(pattern, into, looks);
  if (came) wait::hear_from(came->source);
  return came;
}

void Receiving::add(std::unique_ptr<Arrival> arrival) {
  const bool is_here = arrival->is_here();
  if (!is_here) {
    arrival->since_ns = base::now_ns();
    arrival->since_look = looks_;
    arrival->place = elsewhere_.insert(elsewhere_.end(), arrival.get());
  }
  try {
    waiting_.add(*arrival);
  } catch (...) {
    if (!is_here) elsewhere_.erase(arrival->place);
    throw;
  }
  (void)arrival.release();
}

/// Takes the message out of those that are fetched.
void Receiving::leave(const Arrival& arrival) {
  if (!arrival.is_here() && !arrival.is_coming) elsewhere_.erase(arrival.place);
}

std::unique_ptr<Arrival> Receiving::remove(Arrival& arrival) {
  leave(arrival);
  waiting_.remove(arrival);
  return std::unique_ptr<Arrival>(&arrival);
}

void Receiving::put_back(std::unique_ptr<Arrival> arrival) {
  // A receive may have been posted meanwhile.
  if (ReceiveRequest* const receive = match(arrival->label(), arrival->bytes)) {
    leave(*arrival);
    return give(*receive, std::move(arrival));
  }
  waiting_.put_back(*arrival.release());
}

void Receiving::start(ReceiveRequest& request) {
  auto* const found = static_cast<Arrival*>(waiting_.find(request.pattern()));
  if (found == nullptr) return posted_.post(request);
  if (request.takes(found->bytes)) return give(request, remove(*found));
  request.end(found->came(), true);
}

void Receiving::start(ReceiveRequest& request, std::unique_ptr<Arrival> arrival) {
  if (request.takes(arrival->bytes)) {
    leave(*arrival);
    return give(request, std::move(arrival));
  }
  const Came came = arrival->came();
  put_back(std::move(arrival));
  request.end(came, true);
}

void Receiving::abandon(ReceiveRequest& request) {
  (void)posted_.withdraw(request);
  rings_.abandon(request);
  fetching_.abandon(request);
}

std::optional<Came> Receiving::probe(const Label& pattern) {
  const auto* const found = static_cast<Arrival*>(waiting_.find(pattern));
  if (found == nullptr) return std::nullopt;
  return found->came();
}

// A message that has been asked for is given once it is here. One whose bytes are at its sender may
// still be fetched, so that the sender need not wait for the rank that has taken it.
std::unique_ptr<Arrival> Receiving::take(const Label& pattern) {
  auto* const found = static_cast<Arrival*>(waiting_.find(pattern));
  if (found == nullptr || found->is_coming) return nullptr;
  waiting_.remove(*found);
  return std::unique_ptr<Arrival>(found);
}

/// The receive that gets such a message. Those that it does not fit are over, and it is kept.
ReceiveRequest* Receiving::match(const Label& label, std::size_t bytes) {
  while (auto* const found = static_cast<ReceiveRequest*>(posted_.match(label))) {
    if (found->takes(bytes)) return found;
    found->end({label.source, label.tag, bytes}, true);
  }
  return nullptr;
}

void Receiving::give(ReceiveRequest& request, std::unique_ptr<Arrival> arrival) {
  constexpr std::size_t copied_at_once = 8192;
  const Came came = arrival->came();
  if (arrival->is_here() && came.bytes <= copied_at_once) {
    copy(request.into, arrival->data);
    return request.end(came);
  }
  request.bound_to.store(came.source, std::memory_order_relaxed);
  if (arrival->is_coming) {
    arrival.release()->receiver = &request;  // it is its target's from now on
    return;
  }
  const Target target{request.into, &request, nullptr, came};
  if (arrival->is_here())
    fetching_.copy_later(std::move(arrival), target);
  else
    fetching_.begin(*arrival, target);
}

void Receiving::take_own(const Label& label, Cursor from) {
  Envelope envelope;
  envelope.bytes = from.left();
  if (ReceiveRequest* const receive = match(label, envelope.bytes)) {
    (void)copy(receive->into, from);
    return receive->end({label.source, label.tag, envelope.bytes});
  }
  auto arrival = std::make_unique<Arrival>(label, envelope);
  arrival->make_room();
  (void)copy(arrival->data, from);
  add(std::move(arrival));
}

/// Whether a receive for it is not to be expected any more. In a simulation the clock may not go
/// on.
bool Receiving::has_waited(const Arrival& arrival) const {
  constexpr std::uint64_t least_looks = 64, most_looks = 4096, patience_ns = 100'000;
  const std::uint64_t looks = looks_ - arrival.since_look;
  return looks >= most_looks ||
         (looks >= least_looks && base::now_ns() - arrival.since_ns >= patience_ns);
}

bool Receiving::fetch(bool all) {
  if (!has_something_to_fetch()) return false;
  ++looks_;
  fetching_.ask_all();
  while (!elsewhere_.empty() && (all || has_waited(*elsewhere_.front()))) {
    Arrival& arrival = *elsewhere_.front();
    try {
      arrival.make_room();
    } catch (const std::bad_alloc&) {
      return false;  // it waits where it is
    }
    elsewhere_.pop_front();
    arrival.is_coming = true;
    fetching_.begin(arrival, {arrival.into(), nullptr, &arrival, arrival.came()});
  }
  return true;
}

Target Receiving::begin(int from, const Envelope& envelope) {
  const Label label{envelope.context, from, envelope.tag};
  switch (envelope.kind) {
    case EnvelopeKind::go:
      sending_.go(from, envelope);
      return {};
    case EnvelopeKind::bytes:
      return fetching_.answered(envelope.number);
    case EnvelopeKind::whole:
      break;
    case EnvelopeKind::announcement:
    case EnvelopeKind::for_kernel:
    case EnvelopeKind::offer: {
      auto arrival = std::make_unique<Arrival>(label, envelope);
      if (ReceiveRequest* const receive = match(label, envelope.bytes))
        give(*receive, std::move(arrival));
      else
        add(std::move(arrival));
      return {};
    }
  }
  if (ReceiveRequest* const receive = match(label, envelope.bytes)) {
    receive->bound_to.store(from, std::memory_order_relaxed);
    return {receive->into, receive, nullptr, {from, envelope.tag, envelope.bytes}};
  }
  // The list of those that wait has it once it is here.
  auto arrival = std::make_unique<Arrival>(label, envelope);
  arrival->make_room();
  const Cursor into = arrival->into();
  return {into, nullptr, arrival.release(), {from, envelope.tag, envelope.bytes}};
}

void Receiving::end(const Target& target) {
  fetching_.note_ring(target);
  if (ReceiveRequest* const receive = target.receive) return receive->end(target.came);
  if (target.arrival == nullptr) return;
  Arrival& arrival = *target.arrival;
  if (arrival.is_coming) {
    arrival.kind = EnvelopeKind::whole;
    arrival.is_coming = false;
    if (arrival.receiver != nullptr) give(*arrival.receiver, std::unique_ptr<Arrival>(&arrival));
    return;
  }
  std::unique_ptr<Arrival> whole(&arrival);
  // A receive may have been posted meanwhile.
  if (ReceiveRequest* const receive = match(arrival.label(), arrival.bytes))
    give(*receive, std::move(whole));
  else
    add(std::move(whole));
}

bool Receiving::take_in_all(const space::NewConnections& new_connections) {
  const bool any = rings_.take_in_all(new_connections);
  return fetching_.take_in_landed() || any;
}

void Receiving::forget_rings() {
  ARMATURE_ASSERT(fetching_.is_idle() && elsewhere_.empty());
  rings_.forget();
}

}  // namespace armature::message
