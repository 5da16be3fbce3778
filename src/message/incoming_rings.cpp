#include "message/incoming_rings.hpp"

#include <algorithm>
#include <utility>

#include "armature/detail/transfer.hpp"
#include "base/fail.hpp"
#include "space/layout.hpp"
#include "wait/cost_model.hpp"
#include "wait/notifier.hpp"

namespace armature::message {

using transport::Ring;

IncomingRings::~IncomingRings() {
  for (Incoming& in : incoming_) in.target.drop();
}

IncomingRings::Incoming* IncomingRings::incoming_of(int source) {
  if (heard_last_ < incoming_.size() && incoming_[heard_last_].from == source) [[likely]]
    return &incoming_[heard_last_];
  const auto found = std::ranges::find(incoming_, source, &Incoming::from);
  if (found == incoming_.end()) return nullptr;
  heard_last_ = static_cast<std::size_t>(found - incoming_.begin());
  return &*found;
}

std::optional<Came> IncomingRings::receive_at_once(const Label& pattern, std::span<std::byte> into,
                                                   int looks) {
  Incoming* const in = incoming_of(pattern.source);
  if (in == nullptr || in->envelope_bytes != 0 || !has_come(*in)) return std::nullopt;
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
  wait::notify(space_.slot(in->from));  // it may wait for the room that this has made
  return came;
}

bool IncomingRings::has_come(const Incoming& in) const {
  wait::CostModel* const model = wait::CostModel::of_job();
  if (model == nullptr) [[likely]]
    return true;
  const std::uint64_t written = in.ring->written().load(std::memory_order_acquire);
  return model->visible_messages(in.from, space_.me(), written) >
         in.ring->read_so_far().load(std::memory_order_relaxed);
}

void IncomingRings::find_new(const space::NewConnections& new_connections) {
  const std::uint32_t last = new_connections.last();
  if (last == rings_seen_) [[likely]]
    return;
  space::SegmentHead& head = space_.head(space_.me());
  const std::uint32_t before = std::exchange(rings_seen_, last);
  for (const int from :
       head.opened_since(last, &space::PeerLine::mailbox_before, before, space_.ranks())) {
    const std::uint64_t address = head.peer(from).mailbox.load(std::memory_order_acquire);
    Incoming incoming;
    incoming.from = from;
    incoming.ring = reinterpret_cast<Ring*>(address);
    // The proxy of a ring on another node lies in the own segment.
    ARMATURE_ASSERT(space_.owner(incoming.ring) ==
                    (space_.is_here(from) ? Rank(from) : space_.me()));
    incoming_.push_back(incoming);
  }
}

/// True when it got to the end of a message.
bool IncomingRings::take_in(Incoming& in) {
  Ring& ring = *in.ring;
  if (!in.can_go_on()) return false;
  if (in.envelope_bytes < sizeof(Envelope)) {
    in.envelope_bytes += ring.read(reinterpret_cast<std::byte*>(&in.envelope) + in.envelope_bytes,
                                   sizeof(Envelope) - in.envelope_bytes);
  }
  // begin() is tried again where it found no memory before.
  if (in.envelope_bytes == sizeof(Envelope) && !in.has_begun) {
    ARMATURE_ASSERT(in.envelope.magic == Envelope::expected_magic &&
                    in.envelope.behind() < space::address_end);
    in.target = receiver_.begin(in.from, in.envelope);
    in.left = in.envelope.behind();
    in.has_begun = true;
  }
  if (in.has_begun) {
    Cursor& into = in.target.into;
    while (in.left > 0 && ring.readable() > 0 && has_come(in)) {
      const std::span<std::byte> here = into.here();
      // Bytes that have no room, or that nobody wants any more, are dropped.
      const std::size_t bytes = here.empty()
                                    ? ring.skip(in.left)
                                    : ring.read(here.data(), std::min(here.size(), in.left));
      if (!here.empty()) into.advance(bytes);
      in.left -= bytes;
    }
  }
  // The sender may wait for the room that this has made.
  wait::notify(space_.slot(in.from));
  if (!in.has_begun || in.left > 0) return false;
  if (in.envelope.kind == EnvelopeKind::bytes)
    counts_.in_rings.fetch_add(in.envelope.bytes, std::memory_order_relaxed);
  in.envelope_bytes = 0;
  in.has_begun = false;
  receiver_.end(std::exchange(in.target, {}));
  return true;
}

// Takes in only what is there at the beginning: a sender that never stops must not keep us.
bool IncomingRings::take_in_all(const space::NewConnections& new_connections) {
  find_new(new_connections);
  bool any = false;
  for (Incoming& in : incoming_) {
    if (!in.can_go_on() || !has_come(in)) continue;
    any = true;
    const std::uint64_t end =
        in.ring->read_so_far().load(std::memory_order_relaxed) + Ring::capacity;
    while (in.ring->read_so_far().load(std::memory_order_relaxed) < end && in.can_go_on() &&
           has_come(in))
      (void)take_in(in);
  }
  return any;
}

void IncomingRings::abandon(const ReceiveRequest& request) {
  for (Incoming& in : incoming_)
    if (in.target.is_of(request)) in.target.drop();
}

bool IncomingRings::are_empty() const {
  return std::ranges::all_of(
      incoming_, [](const Incoming& in) { return in.ring->is_empty() && in.envelope_bytes == 0; });
}

void IncomingRings::forget() {
  ARMATURE_ASSERT(are_empty());
  for (const Incoming& in : incoming_)
    space_.head(space_.me()).peer(in.from).mailbox.store(0, std::memory_order_relaxed);
  incoming_.clear();
  rings_seen_ = 0;
  space_.slot(space_.me()).mailboxes.restore(0);
}

}  // namespace armature::message
