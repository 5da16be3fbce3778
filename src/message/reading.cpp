// What comes in the rings, and what else of a message comes from other nodes.
#include <algorithm>
#include <utility>

#include "armature/detail/transfer.hpp"
#include "base/clock.hpp"
#include "base/fail.hpp"
#include "message/receiving.hpp"
#include "space/layout.hpp"
#include "wait/bell.hpp"

namespace armature::message {

using transport::Ring;

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
  std::span<const std::byte> front = ring.front();
  for (; front.empty(); front = ring.front())
    if (--looks <= 0) return std::nullopt;
  if (front.size() < sizeof(Envelope)) return std::nullopt;
  const auto& envelope = *reinterpret_cast<const Envelope*>(front.data());
  const std::size_t bytes = envelope.bytes;
  const Came came{in->from, envelope.tag, bytes};
  if (envelope.magic != Envelope::expected_magic || envelope.kind != EnvelopeKind::whole ||
      !pattern.matches({envelope.context, came.source, came.tag}) || bytes > into.size() ||
      bytes != front.size() - sizeof(Envelope))
    return std::nullopt;
  detail::copy(into.data(), front.data() + sizeof(Envelope), bytes);
  ring.take_all(front.size());
  wait::ring(space_.slot(in->from));  // it may wait for the room that this has made
  return came;
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
    case EnvelopeKind::for_kernel:
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
  if (target.asked_ns != 0)
    faster_.note(FasterWay::ring, target.came.bytes, base::now_ns() - target.asked_ns);
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
  if (in.envelope.kind == EnvelopeKind::bytes)
    counts_.in_rings.fetch_add(in.envelope.bytes, std::memory_order_relaxed);
  in.envelope_bytes = 0;
  in.has_begun = false;
  end(std::exchange(in.target, {}));
  return true;
}

bool Receiving::take_in_landed() {
  bool any = false;
  for (std::size_t i = 0; i < landing_.size();) {
    // Acquire: the bytes are there.
    if (landing_[i].landing->is_over.load(std::memory_order_acquire) == 0) {
      ++i;
      continue;
    }
    const Landed done = landing_[i];
    landing_[i] = landing_.back();
    landing_.pop_back();
    landings_.give_back(*done.landing);
    counts_.in_records.fetch_add(done.target.came.bytes, std::memory_order_relaxed);
    end(done.target);
    any = true;
  }
  return any;
}

// What is there at the beginning: a sender that never stops must not keep us.
bool Receiving::take_in_all(const space::Newcomers& newcomers) {
  find_new_rings(newcomers);
  bool any = !landing_.empty() && take_in_landed();
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

void Receiving::forget_rings() {
  ARMATURE_ASSERT(is_idle());
  for (const Incoming& in : incoming_)
    space_.head(space_.me()).peer(in.from).mailbox.store(0, std::memory_order_relaxed);
  incoming_.clear();
  rings_seen_ = 0;
  space_.slot(space_.me()).mailboxes.restore(0);
}

}  // namespace armature::message
