// Requests on their way out: opening a channel, room in it, what to do when there is none, and
// holding requests back so that several travel together.
#include <algorithm>
#include <cstring>

#include <fmt/format.h>

#include "base/bytes.hpp"
#include "base/clock.hpp"
#include "base/fail.hpp"
#include "rmi/endpoint.hpp"
#include "rmi/seal.hpp"
#include "wait/bell.hpp"
#include "wait/trace.hpp"
#include "wait/wait.hpp"

namespace armature {

namespace rmi {

using detail::Outgoing;
using detail::RequestHeader;
using detail::RequestKind;
using transport::Channel;

void Endpoint::open(int to) {
  const auto index = static_cast<std::size_t>(to);
  const std::size_t capacity = settings_.channel_bytes;
  space::AddressSpace::Failure failure;
  void* memory = space_.allocate_ring(sizeof(Channel) + capacity, failure);
  if (memory == nullptr)
    base::fail(Errc::out_of_memory,
               fmt::format("a remote call to rank {}: no memory for a channel of {}: {}", to,
                           base::readable_bytes(capacity), failure.limit));
  auto* channel = new (memory) Channel;
  channel->capacity = capacity;
  lanes_[index].channel = channel;
  Outgoing& out = outgoing_[index];
  out.published = &channel->published;
  out.asleep = &space_.slot(to).asleep;
  out.at = out.end = channel->at(0);
  choose_way(out);
  // Where it must be false it stays as it is: two threads may look at it.
  if (!has_service() && seal_bytes_ == 0) out.alone = true;
  lanes_[index].committed = out.at;
  space::PeerLine& mine = space_.head(to).peer(space_.me());
  // Release: whoever reads the address finds an empty ring there; that there is one comes last.
  mine.channel.store(reinterpret_cast<std::uint64_t>(channel), std::memory_order_release);
  space_.slot(to).channels.add(space_.me(), mine.channel_before);
}

/// Makes [out.at, out.end) a stretch of at least that many bytes, if the receiver has left so much.
bool Endpoint::make_room(Outgoing& out, Lane& lane, std::size_t bytes) {
  if (bytes > 0 && context_.weather != nullptr &&
      context_.weather->clogs(space_.me(), index_of(out)))
    return false;
  Channel& channel = *lane.channel;
  const std::uint64_t capacity = channel.capacity;
  for (;;) {
    // Acquire: the receiver has done reading what is overwritten now.
    const std::uint64_t consumed = channel.consumed.load(std::memory_order_acquire);
    ARMATURE_ASSERT(out.written - consumed <= capacity);
    const std::uint64_t free = capacity - (out.written - consumed);
    const std::uint64_t offset = out.written & (capacity - 1);
    const NextPin pinned(channel, offset);
    // Up to the lap's end, or what must stay.
    const std::uint64_t straight = std::min(capacity - offset, pinned.distance);
    const std::uint64_t room = std::min(free, straight);
    out.at = channel.at(out.written);
    out.end = out.at + room;
    lane.committed = out.at;
    if (room >= bytes) return true;
    const std::uint64_t skipped = straight == 0 ? pinned.bytes : straight;
    if (straight >= bytes || free < skipped) return false;
    // Too short: a filler takes it.
    const RequestHeader filler{.units = static_cast<std::uint16_t>(skipped / RequestHeader::unit),
                               .kind = static_cast<std::uint8_t>(RequestKind::filler)};
    std::memcpy(out.at, &filler, sizeof filler);
    out.written += skipped;
  }
}

// With a service thread every request comes here, and the endpoint is held until it is committed.
std::byte* Endpoint::find_room(Outgoing& out, std::size_t bytes) {
  bytes += seal_bytes_;
  if (!has_service()) [[likely]]
    return look_for_room(out, bytes);
  Use in_use(mutex_);
  std::byte* const at = look_for_room(out, bytes);
  out.end = at + bytes;
  (void)in_use.release();
  return at;
}

std::byte* Endpoint::look_for_room(Outgoing& out, std::size_t bytes) {
  const int to = index_of(out);
  Lane& lane = lanes_[static_cast<std::size_t>(to)];
  if (lane.channel == nullptr) open(to);
  drain_overflow(to);
  if (!lane.overflow.empty() || !make_room(out, lane, bytes)) {
    publish(out, lane);
    if (puts_off()) return overflow(out, lane, bytes);
    wait::WaitFor wait{.what = space::Awaiting::room, .peer = to, .call = "remote call"};
    wait::wait_until(wait, [&] {
      deliver();
      drain_overflow(to);
      return lane.overflow.empty() && make_room(out, lane, bytes);
    });
  }
  return out.at;
}

// While requests overflow, `at` points into the overflow and `written` is kept aside.
std::byte* Endpoint::overflow(Outgoing& out, Lane& lane, std::size_t bytes) {
  if (lane.overflow.empty()) {
    lane.in_channel = out.written;
    overflowing_.push_back(index_of(out));
  }
  out.at = lane.committed = lane.overflow.room(bytes);
  out.end = lane.overflow.room_end();
  out.direct = false;
  out.held_max = 0;
  return out.at;
}

void Endpoint::drain_overflow(int to) {
  Lane& lane = lanes_[static_cast<std::size_t>(to)];
  if (lane.overflow.empty()) return;
  Outgoing& out = outgoing_[static_cast<std::size_t>(to)];
  out.written = lane.in_channel;
  lane.consumed = lane.channel->consumed.load(std::memory_order_relaxed);
  if (space_.slot(to).life.load(std::memory_order_relaxed) == space::Life::dead)
    lane.overflow.clear();  // nobody will ever read it
  while (lane.overflow.bytes() > 0) {
    RequestHeader header;
    std::memcpy(&header, lane.overflow.front(), sizeof header);
    const std::size_t bytes = header.units * RequestHeader::unit;
    if (!make_room(out, lane, bytes)) break;
    std::memcpy(out.at, lane.overflow.front(), bytes);
    out.written += bytes;
    lane.overflow.pop(bytes);
  }
  if (lane.channel->published.load(std::memory_order_relaxed) != out.written) {
    lane.channel->published.store(out.written, std::memory_order_release);
    wait::ring(space_.slot(to));
  }
  lane.in_channel = out.written;
  if (lane.overflow.bytes() == 0) {
    lane.overflow.clear();
    std::erase(overflowing_, to);
    choose_way(out);
    (void)make_room(out, lane, 0);
  } else {
    // The next request must ask for room.
    out.at = out.end = lane.committed = nullptr;
  }
}

void Endpoint::commit_indirect(Outgoing& out) {
  Lane& lane = lanes_[static_cast<std::size_t>(index_of(out))];
  if (seal_bytes_ != 0) {
    out.at += seal_bytes_;
    out.written += seal_bytes_;
    Seal::put({lane.committed, out.at});
  }
  if (traces_)
    wait::trace({.kind = wait::TraceEvent::Kind::sent,
                 .rank = space_.me(),
                 .other = index_of(out),
                 .begin_ns = base::now_ns(),
                 .number = out.sent});
  const auto bytes = static_cast<std::size_t>(out.at - lane.committed);
  lane.committed = out.at;
  if (!lane.overflow.empty())
    lane.overflow.add(bytes);
  else if (++out.held >= settings_.aggregation)
    publish(out, lane);
  const bool poll = --sender_.until_poll == 0;
  if (has_service()) {
    out.end = out.at;
    mutex_.unlock();
  }
  if (poll) detail::poll_now(sender_);
}

void Endpoint::publish(Outgoing& out, Lane& lane) {
  out.held = 0;
  if (!lane.overflow.empty()) return;
  // Release: the receiver reads the requests after it has seen this.
  lane.channel->published.store(out.written, std::memory_order_release);
  wait::ring(space_.slot(index_of(out)));
}

void Endpoint::publish_held() {
  for (const int rank : lanes_.indices()) {
    const auto to = static_cast<std::size_t>(rank);
    if (outgoing_[to].held > 0) publish(outgoing_[to], lanes_[to]);
  }
}

/// Whether deliver() would get something out; asked before falling asleep.
bool Endpoint::has_to_send() const {
  return std::any_of(lanes_.indices().begin(), lanes_.indices().end(), [this](int rank) {
    const Lane& lane = *lanes_.find(static_cast<std::size_t>(rank));
    return outgoing_[rank].held > 0 ||
           (!lane.overflow.empty() &&
            lane.channel->consumed.load(std::memory_order_acquire) != lane.consumed);
  });
}

void Endpoint::wake(Outgoing& out) { wait::ring(space_.slot(index_of(out))); }

}  // namespace rmi

namespace detail {

std::byte* start_first(Outgoing& out, std::size_t bytes, const Named& named, bool takes_code) {
  // While room is made others may be called, who may send something to the same rank.
  std::byte* const at = reserve(out, bytes);
  const RequestHeader header{.units = static_cast<std::uint16_t>(bytes / RequestHeader::unit),
                             .kind = static_cast<std::uint8_t>(RequestKind::first),
                             .object = static_cast<std::uint32_t>(named.object),
                             .method_offset = static_cast<std::uint32_t>(named.method),
                             .module = static_cast<std::uint16_t>(named.method >> 32),
                             .generation = static_cast<std::uint16_t>(named.object >> 32)};
  std::memcpy(at, &header, sizeof header);
  if (takes_code) std::memcpy(at + sizeof header, &named.code, sizeof named.code);
  if (out.alone) {
    out.method = named.method;
    out.code = named.code;
    out.object = named.object;
  }
  return at + sizeof header + (takes_code ? sizeof named.code : 0);
}

}  // namespace detail
}  // namespace armature
