#include "net/remote_rings.hpp"

#include <algorithm>
#include <cstring>
#include <new>

#include <fmt/format.h>

#include "base/fail.hpp"
#include "net/records.hpp"
#include "wait/notifier.hpp"

namespace armature::net {

using base::fail;
using transport::Arrived;
using transport::Channel;
using transport::Link;

/// Bytes of a ring, from a position on; they do not wrap.
struct RemoteRings::Bytes {
  std::uint32_t what;
  std::uint32_t capacity;
  std::uint64_t position;
  std::uint64_t written;  // so far may be read now; 0: no further than before
};

/// How far the receiver has read, and what it still looks into below that.
struct RemoteRings::Room {
  std::uint32_t what;
  std::uint32_t pins;
  std::uint64_t read;
  std::uint64_t pinned[Channel::pins_max];
};

namespace {

constexpr std::uint64_t worth_sending = 12288;  // bytes that do not wait for more

/// From the list of those that are looked at again; what was written before somebody still saw it
/// there is seen after this.
void take_off(std::atomic<bool>& waits) {
  waits.store(false, std::memory_order_relaxed);
  std::atomic_thread_fence(std::memory_order_seq_cst);
}

}  // namespace

RemoteRings::RemoteRings(transport::Links& links, const RankMap& map)
    : links_(links), map_(map), gates_(links, map) {
  reset();
}

RemoteRings::~RemoteRings() = default;

void RemoteRings::reset() {
  ARMATURE_ASSERT(waiting_.empty());
  forget_all();
}

void RemoteRings::forget_all() {
  waiting_.clear();
  gates_.forget_all();
  made_.clear();
  pairs_ = decltype(pairs_)(map_.places() * static_cast<std::size_t>(map_.mapping().ranks()));
}

void RemoteRings::close_proxies() {
  for (const auto& pair : made_)
    for (Incoming& in : pair->in) {
      if (in.proxy == nullptr) continue;
      ARMATURE_ASSERT(
          map_.space_of(pair->rank)
              ->free(in.proxy, space::Allocation::Kind::internal, space::AddressSpace::By::door));
      in = {};
    }
}

/// The index at which a pair of ranks is kept. The numbers may have come from another process.
std::size_t RemoteRings::place(int rank, int other) const {
  const int ranks = map_.mapping().ranks();
  const int place = map_.place_of(rank);
  if (place < 0 || other < 0 || other >= ranks)
    fail(Errc::corrupt,
         fmt::format("something of rank {} came for rank {}, which is elsewhere", other, rank));
  return static_cast<std::size_t>(place) * static_cast<std::size_t>(ranks) +
         static_cast<std::size_t>(other);
}

RemoteRings::Pair& RemoteRings::pair(int rank, int other) {
  std::atomic<Pair*>& found = pairs_[place(rank, other)];
  if (found.load(std::memory_order_relaxed) == nullptr) {
    made_.emplace_back(new Pair{.rank = rank, .other = other});
    found.store(made_.back().get(), std::memory_order_release);
  }
  return *found.load(std::memory_order_relaxed);
}

bool RemoteRings::looks_soon(int rank, int other) const {
  const Pair* const between = pairs_[place(rank, other)].load(std::memory_order_acquire);
  if (between == nullptr || !between->waits.load(std::memory_order_relaxed)) return false;
  // The thread that looks takes the pair off the list, fences, and then reads what was written. So
  // either it sees what has just been written, or this sees that the pair is not on the list any
  // more.
  std::atomic_thread_fence(std::memory_order_seq_cst);
  const Outgoing* const calls = between->calls.load(std::memory_order_acquire);
  return between->waits.load(std::memory_order_relaxed) && calls != nullptr &&
         calls->written->load(std::memory_order_relaxed) -
                 calls->carried->load(std::memory_order_relaxed) <
             worth_sending &&
         map_.mapping().head(other).peer(rank).notified.load(std::memory_order_relaxed) ==
             between->notified.load(std::memory_order_relaxed);
}

RemoteRings::Ring RemoteRings::Ring::of(Channel& channel) {
  return {channel.at(0),     channel.capacity, &channel.published,
          &channel.consumed, &channel.carried, &channel};
}

RemoteRings::Ring RemoteRings::Ring::of(transport::Ring& ring) {
  return {ring.bytes(),        transport::Ring::capacity, &ring.written(),
          &ring.read_so_far(), &ring.carried(),           nullptr};
}

/// As this node knows it: the ring itself, or its proxy. Without bytes when there is none.
RemoteRings::Ring RemoteRings::ring_of(int from, int to, What what) const {
  const space::PeerLine& line = map_.mapping().head(to).peer(from);
  const auto& place = what == What::messages ? line.mailbox : line.channel;
  const std::uint64_t address = place.load(std::memory_order_acquire);
  if (address == 0) return {};
  return what == What::messages ? Ring::of(*reinterpret_cast<transport::Ring*>(address))
                                : Ring::of(*reinterpret_cast<Channel*>(address));
}

/// Whether the rank has opened such a ring.
bool RemoteRings::find(Pair& pair, What what) {
  Outgoing& out = pair.out[static_cast<std::size_t>(what)];
  if (out.bytes != nullptr) return true;
  out = ring_of(pair.rank, pair.other, what);
  if (out.channel != nullptr) pair.calls.store(&out, std::memory_order_release);
  return out.bytes != nullptr;
}

void RemoteRings::look(int rank, int other, bool all) { look(pair(rank, other), all); }

void RemoteRings::look(Pair& between, bool all) {
  const int rank = between.rank, other = between.other;
  Link& link = link_to(other);
  const bool busy = !link.is_idle();
  const StreamGates::Limits limits = gates_.limits_of(rank, other);
  for (const What what : {What::messages, What::calls}) {
    tell_room(between, what);
    if (!find(between, what)) continue;
    const Outgoing& out = between.out[static_cast<std::size_t>(what)];
    // Acquire: the bytes up to there are written.
    std::uint64_t written = out.written->load(std::memory_order_acquire);
    if (what == What::calls) written = std::min(written, limits.calls);
    const std::uint64_t news = written - out.carried->load(std::memory_order_relaxed);
    if (news == 0) continue;
    if (!all && busy && news < worth_sending) {
      if (!between.waits.exchange(true, std::memory_order_relaxed)) waiting_.push_back(&between);
      continue;
    }
    send_bytes(between, what, written);
    link.flush();
  }
  // This rank's count of notifications, in this node's head of the other's segment.
  const std::uint64_t notified =
      std::min(map_.mapping().head(other).peer(rank).notified.load(std::memory_order_relaxed),
               limits.notified);
  if (notified == between.notified.load(std::memory_order_relaxed)) return;
  between.notified.store(notified, std::memory_order_relaxed);
  link.post(Kind::notify, rank, other, notified, Link::Ack::none);
  link.flush();
}

void RemoteRings::put_behind_streams(int rank, int other) {
  Pair& between = pair(rank, other);
  // Whole requests, which nobody takes back. Those of a channel that is not there yet begin at 0.
  const std::uint64_t calls =
      find(between, What::calls) ? between.out[static_cast<std::size_t>(What::calls)].written->load(
                                       std::memory_order_acquire)
                                 : 0;
  const std::uint64_t notified =
      map_.mapping().head(other).peer(rank).notified.load(std::memory_order_relaxed);
  gates_.add(rank, other, {calls, notified});
}

void RemoteRings::streams_went_on(const Link& link) {
  for (const auto& [rank, other] : gates_.take_open(link)) look(rank, other, true);
}

void RemoteRings::look_again() {
  for (Pair* pair : std::exchange(waiting_, {})) {
    take_off(pair->waits);
    look(*pair, true);
  }
}

template <class Is>
void RemoteRings::look_again_at(Is&& is) {
  for (std::size_t i = 0; i < waiting_.size();) {
    Pair& pair = *waiting_[i];
    if (!is(pair)) {
      ++i;
      continue;
    }
    waiting_[i] = waiting_.back();
    waiting_.pop_back();
    take_off(pair.waits);
    look(pair, true);
  }
}

void RemoteRings::look_again(int rank) {
  look_again_at([&](const Pair& pair) { return pair.rank == rank; });
}

void RemoteRings::look_again(const Link& link) {
  look_again_at([&](const Pair& pair) { return &link_to(pair.other) == &link; });
}

void RemoteRings::send_bytes(Pair& pair, What what, std::uint64_t written) {
  Outgoing& out = pair.out[static_cast<std::size_t>(what)];
  Link& link = link_to(pair.other);
  std::uint64_t sent = out.carried->load(std::memory_order_relaxed);
  while (sent != written) {
    const std::uint64_t offset = sent & (out.capacity - 1);
    const auto bytes =
        static_cast<std::size_t>(std::min({written - sent, out.capacity - offset,
                                           std::uint64_t{Link::body_bytes_max - sizeof(Bytes)}}));
    // In pieces where there are many; the receiver is to see whole requests.
    const bool is_last = sent + bytes == written;
    const Bytes head{static_cast<std::uint32_t>(what), static_cast<std::uint32_t>(out.capacity),
                     sent, is_last ? written : 0};
    std::byte* const body =
        link.append(Kind::ring, pair.rank, pair.other, sizeof head + bytes, Link::Ack::later);
    std::memcpy(body, &head, sizeof head);
    std::memcpy(body + sizeof head, out.bytes + offset, bytes);
    sent += bytes;
    out.carried->store(sent, std::memory_order_relaxed);
  }
}

/// Tells the sender what it may write over, when that is worth it.
void RemoteRings::tell_room(Pair& pair, What what) {
  Incoming& in = pair.in[static_cast<std::size_t>(what)];
  if (in.bytes == nullptr) static_cast<Ring&>(in) = ring_of(pair.other, pair.rank, what);
  if (in.bytes == nullptr) return;
  const std::uint64_t told = in.carried->load(std::memory_order_relaxed);
  const bool pins_told =
      in.channel != nullptr && in.channel->pins_told.load(std::memory_order_relaxed) != 0;
  const std::uint64_t read = in.read->load(std::memory_order_acquire);
  const bool pins = in.channel != nullptr && in.channel->pins.load(std::memory_order_acquire) != 0;
  if (read - told < in.capacity / 4 && (read == told || !(pins || pins_told))) return;
  Room room{static_cast<std::uint32_t>(what), 0, read, {}};
  std::size_t bytes = offsetof(Room, pinned);
  if (pins || pins_told) {
    room.pins = static_cast<std::uint32_t>(in.channel->pins.load(std::memory_order_acquire));
    for (std::size_t i = 0; i < Channel::pins_max; ++i)
      room.pinned[i] = in.channel->pinned[i].load(std::memory_order_acquire);
    bytes = sizeof room;
  }
  in.carried->store(read, std::memory_order_relaxed);
  if (in.channel != nullptr) in.channel->pins_told.store(pins ? 1 : 0, std::memory_order_relaxed);
  Link& link = link_to(pair.other);
  std::memcpy(link.append(Kind::room, pair.rank, pair.other, bytes, Link::Ack::none), &room, bytes);
  link.flush();
}

/// The proxy of a ring, in the receiver's own segment. None where all are about to roll back.
void RemoteRings::make_proxy(Pair& pair, What what, std::uint64_t capacity) {
  Incoming& in = pair.in[static_cast<std::size_t>(what)];
  space::AddressSpace* const space = map_.space_of(pair.rank);
  const bool calls = what == What::calls;
  const bool fits = calls ? capacity >= Channel::capacity_min && capacity <= Channel::capacity_max
                          : capacity == transport::Ring::capacity;
  if (!fits || (capacity & (capacity - 1)) != 0)
    fail(Errc::corrupt, fmt::format("rank {} has a ring of {} bytes", pair.other, capacity));
  space::AddressSpace::Failure failure;
  void* const memory =
      space->allocate(calls ? sizeof(Channel) + capacity : sizeof(transport::Ring), 64,
                      space::Allocation::Kind::internal, failure, space::AddressSpace::By::door);
  if (memory == nullptr && space->rolls_back()) return;
  if (memory == nullptr)
    fail(Errc::out_of_memory,
         fmt::format("no memory for what rank {} sends: {}", pair.other, failure.limit));
  space::RankSlot& slot = space->slot(pair.rank);
  space::PeerLine& line = space->head(pair.rank).peer(pair.other);
  in.proxy = memory;
  const auto address = reinterpret_cast<std::uint64_t>(memory);
  // Release, below: whoever reads the address finds an empty ring there; that there is one comes
  // last.
  if (calls) {
    auto* channel = new (memory) Channel;
    channel->capacity = capacity;
    static_cast<Ring&>(in) = Ring::of(*channel);
    line.channel.store(address, std::memory_order_release);
    slot.channels.add(pair.other, line.channel_before);
  } else {
    auto* ring = new (memory) transport::Ring;
    ring->become_proxy();
    static_cast<Ring&>(in) = Ring::of(*ring);
    line.mailbox.store(address, std::memory_order_release);
    slot.mailboxes.add(pair.other, line.mailbox_before);
  }
}

void RemoteRings::on_ring(const Arrived& arrived) {
  const auto head = arrived.head<Bytes>();
  const auto bytes = arrived.rest(sizeof head);
  const int to = arrived.record.to, from = arrived.record.from;
  if (map_.space_of(to) == nullptr || head.what >= kinds || from < 0 ||
      from >= map_.mapping().ranks())
    fail(Errc::corrupt, fmt::format("process {} sends a ring of rank {} to rank {}: one of them "
                                    "is elsewhere",
                                    arrived.process, from, to));
  Pair& between = pair(to, from);
  Incoming& in = between.in[head.what];
  if (in.bytes == nullptr) make_proxy(between, static_cast<What>(head.what), head.capacity);
  if (in.bytes == nullptr) return links_.ignore_all();
  const std::uint64_t offset = head.position & (in.capacity - 1);
  if (head.position != in.came || bytes.size() > in.capacity - offset)
    fail(Errc::corrupt, fmt::format("{} bytes of rank {} came for position {}", bytes.size(), from,
                                    head.position));
  std::memcpy(in.bytes + offset, bytes.data(), bytes.size());
  in.came += bytes.size();
  if (head.written == 0) return;
  // Release: the receiver reads the bytes after it has seen this.
  in.written->store(in.came, std::memory_order_release);
  wait::notify(map_.mapping().slot(to));
}

void RemoteRings::on_room(const Arrived& arrived) {
  Room room{};
  arrived.require(offsetof(Room, pinned));
  std::memcpy(&room, arrived.body.data(), std::min(sizeof room, arrived.body.size()));
  const int rank = arrived.record.to, other = arrived.record.from;
  if (map_.space_of(rank) == nullptr || other < 0 || other >= map_.mapping().ranks() ||
      room.what >= kinds)
    fail(Errc::corrupt, fmt::format("a ring of rank {}, which is elsewhere", rank));
  const Outgoing out = ring_of(rank, other, static_cast<What>(room.what));
  if (out.bytes == nullptr) return;  // the rank has closed it
  if (room.read > out.carried->load(std::memory_order_relaxed))
    fail(Errc::corrupt, fmt::format("rank {} has read what was not sent", other));
  if (out.channel != nullptr && arrived.body.size() == sizeof room) {
    for (std::size_t i = 0; i < Channel::pins_max; ++i)
      out.channel->pinned[i].store(room.pinned[i], std::memory_order_relaxed);
    out.channel->pins.store(room.pins, std::memory_order_relaxed);
  }
  // Release: who sees that there is room sees what is pinned.
  out.read->store(room.read, std::memory_order_release);
  wait::notify(map_.mapping().slot(rank));
}

void RemoteRings::on_notify(const Arrived& arrived) {
  const auto count = arrived.head<std::uint64_t>();
  const int to = arrived.record.to, from = arrived.record.from;
  if (map_.space_of(to) == nullptr || from < 0 || from >= map_.mapping().ranks())
    fail(Errc::corrupt, fmt::format("a notification for rank {}, which is elsewhere", to));
  // Release: the puts before it have been written.
  map_.mapping().head(to).peer(from).notified.store(count, std::memory_order_release);
  wait::notify(map_.mapping().slot(to));
}

}  // namespace armature::net
