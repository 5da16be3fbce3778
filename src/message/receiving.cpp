#include "message/receiving.hpp"

#include <algorithm>
#include <new>
#include <utility>

#include "armature/error.hpp"
#include "base/clock.hpp"
#include "base/fail.hpp"
#include "space/layout.hpp"
#include "wait/bell.hpp"

namespace armature::message {

using transport::Ring;

namespace {

/// Whether nobody else has the message whose bytes go there: it is not among those that wait.
bool is_the_targets(const Arrival& arrival) {
  return !arrival.is_coming || arrival.receiver != nullptr;
}

}  // namespace

void Receiving::Target::drop() {
  if (arrival != nullptr && is_the_targets(*arrival)) delete arrival;
  *this = {};
}

Receiving::~Receiving() {
  for (Incoming& in : incoming_) in.target.drop();
  for (auto& [number, target] : asked_) target.drop();
  for (WaitingMessage* const one : waiting_.in_order()) delete static_cast<Arrival*>(one);
}

void Receiving::add(std::unique_ptr<Arrival> arrival) {
  if (!arrival->is_here()) {
    arrival->since_ns = base::now_ns();
    arrival->since_look = looks_;
    arrival->place = elsewhere_.insert(elsewhere_.end(), arrival.get());
  }
  waiting_.add(*arrival.release());
}

/// It is fetched no more.
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

Receiving::Incoming* Receiving::incoming_of(int source) {
  if (heard_last_ < incoming_.size() && incoming_[heard_last_].from == source) [[likely]]
    return &incoming_[heard_last_];
  const auto found = std::ranges::find(incoming_, source, &Incoming::from);
  if (found == incoming_.end()) return nullptr;
  heard_last_ = static_cast<std::size_t>(found - incoming_.begin());
  return &*found;
}

std::optional<Came> Receiving::receive_at_once(const Label& pattern, std::span<std::byte> into,
                                               int looks) {
  if (pattern.source == Label::any || posted_.size() != 0 || waiting_.size() != 0)
    return std::nullopt;
  Incoming* const in = incoming_of(pattern.source);
  if (in == nullptr || in->envelope_bytes != 0) return std::nullopt;
  Ring& ring = *in->ring;
  while (ring.readable() < sizeof(Envelope))
    if (--looks <= 0) return std::nullopt;
  // From here on the envelope is taken out: take_in() goes on with what does not end here.
  Envelope& envelope = in->envelope;
  in->envelope_bytes = ring.read(reinterpret_cast<std::byte*>(&envelope), sizeof(Envelope));
  const std::size_t bytes = envelope.bytes;
  const Label label{envelope.context, in->from, envelope.tag};
  if (envelope.magic != Envelope::expected_magic || envelope.kind != EnvelopeKind::whole ||
      !pattern.matches(label) || bytes > into.size() || ring.readable() < bytes)
    return std::nullopt;
  if (bytes > 0) (void)ring.read(into.data(), bytes);
  in->envelope_bytes = 0;
  wait::ring(space_.slot(in->from));  // it may wait for the room that this has made
  return Came{label.source, label.tag, bytes};
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
  const auto is_of = [&](const Target& target) {
    return target.receive == &request ||
           (target.arrival != nullptr && target.arrival->receiver == &request);
  };
  for (Incoming& in : incoming_)
    if (is_of(in.target)) in.target.drop();
  for (auto& [number, target] : asked_)
    if (is_of(target)) target.drop();
}

std::optional<Came> Receiving::probe(const Label& pattern) {
  const auto* const found = static_cast<Arrival*>(waiting_.find(pattern));
  if (found == nullptr) return std::nullopt;
  return found->came();
}

// One that has been asked for is given once it is here. One whose bytes are at its sender may still
// be fetched, so that the sender need not wait for whoever has taken it.
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
  const Came came = arrival->came();
  if (arrival->is_coming) {
    request.bound_to.store(came.source, std::memory_order_relaxed);
    arrival.release()->receiver = &request;  // it is its target's from now on
    return;
  }
  switch (arrival->kind) {
    case EnvelopeKind::announcement:
      copy_announced(came.source, arrival->number, request.into);
      break;
    case EnvelopeKind::offer:
      request.bound_to.store(came.source, std::memory_order_relaxed);
      return ask(came.source, arrival->number, {request.into, &request, nullptr, came});
    default:
      copy(request.into, arrival->data);
  }
  request.end(came);
}

void Receiving::copy_announced(int from, std::uint64_t number, Cursor into) {
  auto& announcement = *reinterpret_cast<Announcement*>(number);
  Cursor data(announcement.data());
  (void)copy(into, data);
  // Release: the sender may write over what has been copied.
  announcement.is_taken.store(1, std::memory_order_release);
  wait::ring(space_.slot(from));
}

void Receiving::ask(int from, std::uint64_t offer, const Target& target) {
  const std::uint64_t number = ++questions_;
  Envelope envelope;
  envelope.kind = EnvelopeKind::go;
  envelope.number = offer;
  envelope.bytes = number;
  asked_.emplace(number, target);
  unasked_.push_back({from, envelope});
  ask_all();
}

/// Where there is no memory for a ring to the sender, it is asked later.
void Receiving::ask_all() {
  while (!unasked_.empty()) {
    try {
      sending_.post(unasked_.front().to, unasked_.front().envelope);
    } catch (const Error& error) {
      if (error.code() != Errc::out_of_memory) throw;
      return;
    }
    unasked_.pop_front();
  }
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

void Receiving::find_new_rings(const space::Newcomers& newcomers) {
  const std::uint32_t last = newcomers.last();
  if (last == rings_seen_) [[likely]]
    return;
  space::BandHead& head = space_.head(space_.me());
  const std::uint32_t before = std::exchange(rings_seen_, last);
  for (const int from :
       head.opened_since(last, &space::PeerLine::mailbox_before, before, space_.ranks())) {
    const std::uint64_t address = head.peer(from).mailbox.load(std::memory_order_acquire);
    Incoming incoming;
    incoming.from = from;
    incoming.ring = reinterpret_cast<Ring*>(address);
    // An image of a ring on another node lies in the own band.
    ARMATURE_ASSERT(space_.owner(incoming.ring) ==
                    (space_.is_here(from) ? Rank(from) : space_.me()));
    incoming_.push_back(incoming);
  }
}

/// What an envelope begins.
void Receiving::begin(Incoming& in) {
  const Envelope& envelope = in.envelope;
  ARMATURE_ASSERT(envelope.magic == Envelope::expected_magic &&
                  envelope.behind() < space::address_end);
  in.left = envelope.behind();
  in.target = {};
  const Label label{envelope.context, in.from, envelope.tag};
  const Came came{in.from, envelope.tag, envelope.bytes};
  switch (envelope.kind) {
    case EnvelopeKind::go:
      return sending_.go(in.from, envelope);
    case EnvelopeKind::bytes:
      if (const auto found = asked_.extract(envelope.number)) in.target = found.mapped();
      return;
    case EnvelopeKind::whole:
      if (ReceiveRequest* const receive = match(label, envelope.bytes)) {
        receive->bound_to.store(in.from, std::memory_order_relaxed);
        in.target = {receive->into, receive, nullptr, came};
      } else {
        // The list of those that wait has it once it is here.
        auto arrival = std::make_unique<Arrival>(label, envelope);
        arrival->make_room();
        in.target.into = arrival->into();
        in.target.arrival = arrival.release();
      }
      return;
    case EnvelopeKind::announcement:
    case EnvelopeKind::offer:
      break;
  }
  auto arrival = std::make_unique<Arrival>(label, envelope);
  if (ReceiveRequest* const receive = match(label, envelope.bytes))
    give(*receive, std::move(arrival));
  else
    add(std::move(arrival));
}

/// All bytes are there.
void Receiving::end(const Target& target) {
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

/// True when it got to the end of a message.
bool Receiving::take_in(Incoming& in) {
  Ring& ring = *in.ring;
  if (!in.can_go_on()) return false;
  if (in.envelope_bytes < sizeof(Envelope)) {
    in.envelope_bytes += ring.read(reinterpret_cast<std::byte*>(&in.envelope) + in.envelope_bytes,
                                   sizeof(Envelope) - in.envelope_bytes);
  }
  // Where there was no memory to begin with, it is tried again.
  if (in.envelope_bytes == sizeof(Envelope) && !in.has_begun) {
    begin(in);
    in.has_begun = true;
  }
  if (in.has_begun) {
    Cursor& into = in.target.into;
    while (in.left > 0 && ring.readable() > 0) {
      const std::span<std::byte> here = into.here();
      // What there is no room for, or nobody wants any more, is dropped.
      const std::size_t bytes = here.empty()
                                    ? ring.skip(in.left)
                                    : ring.read(here.data(), std::min(here.size(), in.left));
      if (!here.empty()) into.advance(bytes);
      in.left -= bytes;
    }
  }
  // The sender may wait for the room that this has made.
  wait::ring(space_.slot(in.from));
  if (!in.has_begun || in.left > 0) return false;
  in.envelope_bytes = 0;
  in.has_begun = false;
  end(std::exchange(in.target, {}));
  return true;
}

// What is there at the beginning: a sender that never stops must not keep us.
bool Receiving::take_in_all(const space::Newcomers& newcomers) {
  find_new_rings(newcomers);
  bool any = false;
  for (Incoming& in : incoming_) {
    if (!in.can_go_on()) continue;
    any = true;
    const std::uint64_t end =
        in.ring->read_so_far().load(std::memory_order_relaxed) + Ring::capacity;
    while (in.ring->read_so_far().load(std::memory_order_relaxed) < end && in.can_go_on())
      (void)take_in(in);
  }
  return any;
}

/// Whether a receive for it is not to be expected any more. In a simulation time may stand still.
bool Receiving::has_waited(const Arrival& arrival) const {
  constexpr std::uint64_t least_looks = 64, most_looks = 4096, patience_ns = 100'000;
  const std::uint64_t looks = looks_ - arrival.since_look;
  return looks >= most_looks ||
         (looks >= least_looks && base::now_ns() - arrival.since_ns >= patience_ns);
}

bool Receiving::fetch(bool all) {
  if (!has_something_to_fetch()) return false;
  ++looks_;
  ask_all();
  while (!elsewhere_.empty() && (all || has_waited(*elsewhere_.front()))) {
    Arrival& arrival = *elsewhere_.front();
    try {
      arrival.make_room();
    } catch (const std::bad_alloc&) {
      return false;  // it waits where it is
    }
    elsewhere_.pop_front();
    if (arrival.kind == EnvelopeKind::announcement) {
      copy_announced(arrival.label().source, arrival.number, arrival.into());
      arrival.kind = EnvelopeKind::whole;
    } else {
      arrival.is_coming = true;
      ask(arrival.label().source, arrival.number, {arrival.into(), nullptr, &arrival, {}});
    }
  }
  return true;
}

bool Receiving::is_idle() const {
  return asked_.empty() && !has_something_to_fetch() &&
         std::ranges::all_of(incoming_, [](const Incoming& in) {
           return in.ring->is_empty() && in.envelope_bytes == 0;
         });
}

void Receiving::forget_rings() {
  ARMATURE_ASSERT(is_idle());
  for (const Incoming& in : incoming_)
    space_.head(space_.me()).peer(in.from).mailbox.store(0, std::memory_order_relaxed);
  incoming_.clear();
  rings_seen_ = 0;
  space_.slot(space_.me()).mailboxes.restore(0);
}

}  // namespace armature::message
