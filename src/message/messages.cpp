#include "message/messages.hpp"

#include <algorithm>
#include <cstring>
#include <limits>

#include <fmt/format.h>

#include "base/bytes.hpp"
#include "base/fail.hpp"
#include "space/layout.hpp"
#include "wait/bell.hpp"
#include "wait/wait.hpp"

namespace armature::message {

using space::Awaiting;
using transport::Envelope;
using transport::Ring;

Messages::Messages(wait::RankContext& rank)
    : rank_(rank), space_(rank.space), newcomers_(rank.space.slot(rank.space.me()).mailboxes) {
  messages_slot.put(rank.slots, this);
  rank.add(*this);
}

Messages::~Messages() {
  rank_.remove(*this);
  messages_slot.put(rank_.slots, nullptr);
}

Ring& Messages::ring_to(int to, const char* call) {
  Ring*& ring = to_[static_cast<std::size_t>(to)];
  if (ring != nullptr) return *ring;
  space::AddressSpace::Failure failure;
  void* memory = space_.allocate_ring(sizeof(Ring), failure);
  if (memory == nullptr)
    base::fail(Errc::out_of_memory, fmt::format("{}: no memory for a mailbox of {}: {}", call,
                                                base::readable_bytes(sizeof(Ring)), failure.limit));
  ring = new (memory) Ring;
  space::PeerLine& mine = space_.head(to).peer(space_.me());
  // Release: whoever reads the address finds an empty ring there; that there is one comes last.
  mine.mailbox.store(reinterpret_cast<std::uint64_t>(ring), std::memory_order_release);
  space_.slot(to).mailboxes.add(space_.me(), mine.mailbox_before);
  return *ring;
}

void Messages::write(Ring& ring, int to, std::span<const std::byte> data, const char* call) {
  while (!data.empty()) {
    const std::size_t done = ring.write(data.data(), data.size());
    data = data.subspan(done);
    if (done > 0) wait::ring(space_.slot(to));
    if (data.empty()) return;
    wait::WaitFor room{.what = Awaiting::room, .peer = to, .call = call};
    wait::wait_until(room, [&] { return ring.writable() > 0; });
  }
}

void Messages::write_whole(Ring& ring, int to, std::int32_t tag, std::span<const std::byte> data,
                           const char* call) {
  Envelope envelope;
  envelope.tag = tag;
  envelope.bytes = data.size();
  write(ring, to, std::as_bytes(std::span(&envelope, 1)), call);
  write(ring, to, data, call);
}

// Who waits for room executes methods, and so may a second thread. What they send to the same rank
// must not get into the middle of the message.

/// The ring, whose only writer the caller is now; nullptr when it has one, who sends this, too.
Ring* Messages::begin_writing(int to, std::int32_t tag, std::span<const std::byte> data,
                              const char* call) {
  const std::lock_guard locked(mutex_);
  if (std::ranges::find(writing_, to) != writing_.end()) {
    held_.emplace_back(to, Message{space_.me(), tag, {data.begin(), data.end()}});
    return nullptr;
  }
  Ring& ring = ring_to(to, call);
  writing_.push_back(to);
  return &ring;
}

/// What was sent to that rank meanwhile; with nothing, the caller is its writer no more.
std::optional<Message> Messages::next_to_write(int to) {
  const std::lock_guard locked(mutex_);
  const auto found = std::ranges::find(held_, to, [](const auto& one) { return one.first; });
  if (found == held_.end()) {
    std::erase(writing_, to);
    return std::nullopt;
  }
  Message message = std::move(found->second);
  held_.erase(found);
  return message;
}

void Messages::give_up_writing(int to) {
  const std::lock_guard locked(mutex_);
  std::erase(writing_, to);
  std::erase_if(held_, [to](const auto& held) { return held.first == to; });
}

void Messages::open(int to, const char* call) {
  if (to == space_.me()) return;
  const std::lock_guard locked(mutex_);
  (void)ring_to(to, call);
}

void Messages::send(int to, std::int32_t tag, std::span<const std::byte> data, const char* call) {
  if (to == space_.me()) {
    const std::lock_guard locked(mutex_);
    return keep({to, tag, {data.begin(), data.end()}});
  }
  Ring* const ring = begin_writing(to, tag, data, call);
  if (ring == nullptr) return;
  try {
    write_whole(*ring, to, tag, data, call);
    while (const auto next = next_to_write(to)) write_whole(*ring, to, next->tag, next->data, call);
  } catch (...) {
    give_up_writing(to);
    throw;
  }
}

void Messages::find_new_rings() {
  const std::uint32_t last = newcomers_.last();
  if (last == rings_seen_) [[likely]]
    return;
  space::BandHead& head = space_.head(space_.me());
  const std::uint32_t before = std::exchange(rings_seen_, last);
  for (const int from :
       head.opened_since(last, &space::PeerLine::mailbox_before, before, space_.ranks())) {
    const std::uint64_t address = head.peer(from).mailbox.load(std::memory_order_acquire);
    auto* ring = reinterpret_cast<Ring*>(address);
    // An image of a ring on another node lies in the own band.
    ARMATURE_ASSERT(space_.owner(ring) == (space_.is_here(from) ? Rank(from) : space_.me()));
    Incoming incoming;
    incoming.from = from;
    incoming.ring = ring;
    incoming_.push_back(std::move(incoming));
  }
}

/// True when it got a message whole.
bool Messages::take_in(Incoming& in) {
  if (in.ring->readable() == 0) return false;
  if (in.envelope_bytes < sizeof(Envelope)) {
    in.envelope_bytes +=
        in.ring->read(reinterpret_cast<std::byte*>(&in.envelope) + in.envelope_bytes,
                      sizeof(Envelope) - in.envelope_bytes);
    if (in.envelope_bytes < sizeof(Envelope)) return false;
    ARMATURE_ASSERT(in.envelope.magic == Envelope::expected_magic &&
                    in.envelope.bytes < space::address_end);
    in.message = {in.from, in.envelope.tag, std::vector<std::byte>(in.envelope.bytes), 0};
    in.data_bytes = 0;
  }
  in.data_bytes +=
      in.ring->read(in.message.data.data() + in.data_bytes, in.message.data.size() - in.data_bytes);
  // The sender may wait for the room that this has made.
  wait::ring(space_.slot(in.from));
  if (in.data_bytes < in.message.data.size()) return false;
  keep(std::move(in.message));
  in.envelope_bytes = 0;
  return true;
}

void Messages::keep(Message message) {
  message.arrival = arrivals_++;
  arrived_[{message.tag, message.from}].push_back(std::move(message));
}

// What is there at the beginning: a sender that never stops must not keep us.
bool Messages::take_in_all() {
  const std::lock_guard locked(mutex_);
  find_new_rings();
  bool any = false;
  for (Incoming& in : incoming_) {
    const std::size_t bytes = in.ring->readable();
    any = any || bytes > 0;
    const std::uint64_t end = in.ring->read_so_far().load(std::memory_order_relaxed) + bytes;
    while (in.ring->read_so_far().load(std::memory_order_relaxed) < end && take_in(in)) {
    }
  }
  return any;
}

std::optional<Message> Messages::find(int from, std::int32_t tag) {
  const std::lock_guard locked(mutex_);
  auto found = arrived_.find({tag, from});
  if (from < 0) {  // from anyone: whose first arrived first
    const auto end = arrived_.upper_bound({tag, std::numeric_limits<int>::max()});
    found = std::min_element(arrived_.lower_bound({tag, 0}), end, [](const auto& a, const auto& b) {
      return a.second.front().arrival < b.second.front().arrival;
    });
    if (found == end) return std::nullopt;
  }
  if (found == arrived_.end()) return std::nullopt;
  Message message = std::move(found->second.front());
  found->second.pop_front();
  if (found->second.empty()) arrived_.erase(found);
  return message;
}

Message Messages::receive(int from, std::int32_t tag, const char* call, Awaiting what) {
  std::optional<Message> found;
  wait::WaitFor wait{.what = what,
                     .peer = from,
                     .detail = static_cast<std::uint64_t>(static_cast<std::uint32_t>(tag)),
                     .call = call};
  wait::wait_until(wait, [&] {
    found = try_receive(from, tag);
    return found.has_value();
  });
  return std::move(*found);
}

void Messages::forget_rings() {
  for (const Incoming& in : incoming_) {
    ARMATURE_ASSERT(in.ring->readable() == 0 && in.envelope_bytes == 0);
    space_.head(space_.me()).peer(in.from).mailbox.store(0, std::memory_order_relaxed);
  }
  incoming_.clear();
  rings_seen_ = 0;
  space_.slot(space_.me()).mailboxes.restore(0);
}

void Messages::close_rings() {
  for (const int to : to_.indices()) {
    Ring*& ring = to_[static_cast<std::size_t>(to)];
    if (ring == nullptr) continue;
    space_.head(to).peer(space_.me()).mailbox.store(0, std::memory_order_relaxed);
    ARMATURE_ASSERT(space_.free(std::exchange(ring, nullptr), space::Allocation::Kind::internal));
  }
}

void Messages::put_back(Message message) {
  const std::lock_guard locked(mutex_);
  arrived_[{message.tag, message.from}].push_front(std::move(message));
}

}  // namespace armature::message
