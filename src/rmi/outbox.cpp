#include "rmi/outbox.hpp"

#include <algorithm>
#include <cstring>
#include <optional>
#include <type_traits>

#include <fmt/format.h>

#include "base/bytes.hpp"
#include "base/clock.hpp"
#include "base/fail.hpp"
#include "rmi/held_slot.hpp"
#include "rmi/request_checksum.hpp"
#include "wait/notifier.hpp"
#include "wait/recorded_links.hpp"
#include "wait/trace.hpp"
#include "wait/wait.hpp"

namespace armature {

namespace rmi {

using detail::Outgoing;
using detail::RequestHeader;
using detail::RequestKind;
using transport::Channel;

namespace {

static_assert(sizeof(Outgoing) <= space::SegmentHead::calls_bytes &&
              std::is_trivially_destructible_v<Outgoing>);

/// Zeros are what each begins as.
Outgoing* outgoing_in(const space::AddressSpace& space) {
  auto* const head = reinterpret_cast<std::byte*>(&space.head(space.me()));
  return reinterpret_cast<Outgoing*>(
      head + space::SegmentHead::calls_offset(static_cast<std::uint32_t>(space.ranks())));
}

}  // namespace

Outbox::Outbox(EndpointContext& context, Blocks& blocks)
    : context_(context),
      space_(context.space),
      blocks_(blocks),
      outgoing_(outgoing_in(context.space)) {
  context.sender.to = outgoing_;
}

/// A job that traces never publishes directly: commit_indirect must see each request.
void Outbox::choose_way(Outgoing& out) const {
  out.direct = context_.publishes_directly() && !wait::traces();
  const bool counts_itself = !context_.is_shared && context_.checksum_bytes == 0 &&
                             context_.settings.aggregation > 1 && !wait::traces();
  out.held_max = counts_itself ? context_.settings.aggregation - 1 : 0;
}

void Outbox::adopt_settings() {
  for (const int rank : lanes_.indices()) {
    const auto to = static_cast<std::size_t>(rank);
    Lane& lane = lanes_[to];
    if (lane.channel == nullptr) continue;
    const bool alone = !context_.is_shared && context_.checksum_bytes == 0;
    Outgoing& out = outgoing_[to];
    if (out.alone != alone) {
      out.alone = alone;
      // The receiver has seen headers since that are not noted here.
      out.method = out.code = out.object = 0;
    }
    if (!lane.overflow.empty()) continue;
    choose_way(out);
    lane.committed = out.at;
  }
}

void Outbox::open(int to) {
  const auto index = static_cast<std::size_t>(to);
  const std::size_t capacity = context_.settings.channel_bytes;
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
  // `alone` is not even set to false: other threads may look at it.
  if (!context_.is_shared && context_.checksum_bytes == 0) out.alone = true;
  lanes_[index].committed = out.at;
  space::PeerLine& mine = space_.head(to).peer(space_.me());
  // Release: whoever reads the address finds an empty ring there; that there is one comes last.
  mine.channel.store(reinterpret_cast<std::uint64_t>(channel), std::memory_order_release);
  space_.slot(to).channels.add(space_.me(), mine.channel_before);
}

/// Makes [out.at, out.end) a stretch of at least that many bytes, if the receiver has left so much.
bool Outbox::make_room(Outgoing& out, Lane& lane, std::size_t bytes) {
  if (bytes > 0 && context_.rank.fault_model != nullptr &&
      context_.rank.fault_model->clogs(space_.me(), index_of(out)))
    return false;
  Channel& channel = *lane.channel;
  const std::uint64_t capacity = channel.capacity;
  for (;;) {
    // Acquire: the receiver has done reading what is overwritten now.
    const std::uint64_t consumed = channel.consumed.load(std::memory_order_acquire);
    ARMATURE_ASSERT(out.written - consumed <= capacity);
    const std::uint64_t free = capacity - (out.written - consumed);
    const std::uint64_t offset = out.written & (capacity - 1);
    const NextHeldSlot held(channel, offset);
    // Up to the lap's end, or what must stay.
    const std::uint64_t straight = std::min(capacity - offset, held.distance);
    const std::uint64_t room = std::min(free, straight);
    out.at = channel.at(out.written);
    out.end = out.at + room;
    lane.committed = out.at;
    if (room >= bytes) return true;
    const std::uint64_t skipped = straight == 0 ? held.bytes : straight;
    if (straight >= bytes || free < skipped) return false;
    // Too short: a filler takes it.
    const RequestHeader filler{.units = static_cast<std::uint16_t>(skipped / RequestHeader::unit),
                               .kind = static_cast<std::uint8_t>(RequestKind::filler)};
    std::memcpy(out.at, &filler, sizeof filler);
    out.written += skipped;
  }
}

// Every request comes here if threads share the endpoint.
std::byte* Outbox::find_room(Outgoing& out, std::size_t bytes) {
  bytes += context_.checksum_bytes;
  if (!context_.is_shared) [[likely]]
    return look_for_room(out, bytes);
  Held held(context_);
  while (!executes_calls() && !has_room_beside(out, bytes)) {
  }
  std::byte* const at = look_for_room(out, bytes);
  out.end = at + bytes;
  held.keep();
  return at;
}

bool Outbox::has_room_beside(Outgoing& out, std::size_t bytes) {
  if (is_ready(out, bytes)) return true;
  const LetGo others_execute(context_);
  wait::WaitFor wait{.what = space::Awaiting::room, .peer = index_of(out), .call = "remote call"};
  wait::wait_until(wait, [&] {
    const EndpointContext::Use in_use = context_.use();
    return is_ready(out, bytes);
  });
  return false;
}

std::byte* Outbox::find_room_at_once(Outgoing& out, std::size_t bytes) {
  const std::uint64_t before = context_.rounds;
  std::byte* const at = find_room(out, bytes);
  if (context_.rounds == before) return at;
  if (context_.is_shared) context_.let_go();
  return nullptr;
}

std::byte* Outbox::find_block_at_once(const Outgoing& out, std::size_t bytes) {
  const int to = index_of(out);
  const bool executes = executes_calls();
  if (!blocks_.is_full(bytes) || (executes && context_.puts_off()))
    return blocks_.take(to, bytes, "remote call");
  std::optional<LetGo> others_execute;
  if (!executes) others_execute.emplace(context_);
  wait::WaitFor wait{
      .what = space::Awaiting::room, .peer = to, .is_notified = false, .call = "remote call"};
  wait::wait_until(wait, [&] {
    const EndpointContext::Use in_use = context_.use();
    if (executes) context_.endpoint.deliver();
    blocks_.free_done();
    return !blocks_.is_full(bytes);
  });
  return nullptr;
}

/// Whether there is room now; what is there is published where there is none.
bool Outbox::is_ready(Outgoing& out, std::size_t bytes) {
  const int to = index_of(out);
  Lane& lane = lanes_[static_cast<std::size_t>(to)];
  if (lane.channel == nullptr) open(to);
  drain_overflow(to);
  if (lane.overflow.empty() && make_room(out, lane, bytes)) return true;
  // Once, however often this is asked.
  if (lane.channel->published.load(std::memory_order_relaxed) != out.written) publish(out, lane);
  return false;
}

std::byte* Outbox::look_for_room(Outgoing& out, std::size_t bytes) {
  if (is_ready(out, bytes)) return out.at;
  const int to = index_of(out);
  Lane& lane = lanes_[static_cast<std::size_t>(to)];
  if (context_.puts_off()) return overflow(out, lane, bytes);
  wait::WaitFor wait{.what = space::Awaiting::room, .peer = to, .call = "remote call"};
  wait::wait_until(wait, [&] {
    context_.endpoint.deliver();
    drain_overflow(to);
    return lane.overflow.empty() && make_room(out, lane, bytes);
  });
  return out.at;
}

// Requests that overflow are written there: `at` points into it, and `written` is kept aside.
std::byte* Outbox::overflow(Outgoing& out, Lane& lane, std::size_t bytes) {
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

void Outbox::drain_overflow() {
  for (std::size_t i = overflowing_.size(); i-- > 0;)
    if (i < overflowing_.size()) drain_overflow(overflowing_[i]);
}

void Outbox::drain_overflow(int to) {
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
    wait::notify(space_.slot(to));
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

void Outbox::commit_indirect(Outgoing& out) {
  Lane& lane = lanes_[static_cast<std::size_t>(index_of(out))];
  if (context_.checksum_bytes != 0) {
    out.at += context_.checksum_bytes;
    out.written += context_.checksum_bytes;
    RequestChecksum::put({lane.committed, out.at}, CalledAt::here());
  }
  if (wait::traces())
    wait::trace({.kind = wait::TraceEvent::Kind::sent,
                 .rank = space_.me(),
                 .other = index_of(out),
                 .begin_ns = base::now_ns(),
                 .number = out.sent});
  const auto bytes = static_cast<std::size_t>(out.at - lane.committed);
  lane.committed = out.at;
  wait::record_link(index_of(out), bytes);
  if (!lane.overflow.empty())
    lane.overflow.add(bytes);
  else if (++out.held >= context_.settings.aggregation)
    publish(out, lane);
  const bool poll = executes_calls() && --context_.sender.until_poll == 0;
  if (context_.is_shared) {
    // The next one asks for room and has a full header, also where the endpoint is shared no more:
    // what threads that shared it have named is not noted.
    out.end = out.at;
    context_.let_go();
  }
  if (poll) detail::poll_now(context_.sender);
}

void Outbox::publish(Outgoing& out, Lane& lane) {
  out.held = 0;
  if (!lane.overflow.empty()) return;
  // Release: the receiver reads the requests after it has seen this.
  lane.channel->published.store(out.written, std::memory_order_release);
  wait::notify(space_.slot(index_of(out)));
}

void Outbox::publish_held() {
  for (const int rank : lanes_.indices()) {
    const auto to = static_cast<std::size_t>(rank);
    if (outgoing_[to].held > 0) publish(outgoing_[to], lanes_[to]);
  }
}

bool Outbox::has_to_send() const {
  if (context_.publishes_directly() && !overflows()) return false;
  return std::any_of(lanes_.indices().begin(), lanes_.indices().end(), [this](int rank) {
    const Lane& lane = *lanes_.find(static_cast<std::size_t>(rank));
    return outgoing_[rank].held > 0 ||
           (!lane.overflow.empty() &&
            lane.channel->consumed.load(std::memory_order_acquire) != lane.consumed);
  });
}

void Outbox::wake(Outgoing& out) { context_.kept_wake.wake(index_of(out)); }

std::size_t Outbox::overflow_bytes() const {
  std::size_t bytes = 0;
  for (const int to : overflowing_) bytes += overflow_bytes(to);
  return bytes;
}

int Outbox::longest_overflow() const {
  const auto longest = std::max_element(
      overflowing_.begin(), overflowing_.end(),
      [this](int one, int other) { return overflow_bytes(one) < overflow_bytes(other); });
  return longest != overflowing_.end() ? *longest : -1;
}

std::uint64_t Outbox::sent() const {
  std::uint64_t sum = 0;
  for (const int to : lanes_.indices()) sum += outgoing_[static_cast<std::size_t>(to)].sent;
  return sum;
}

void Outbox::close_channels() {
  ARMATURE_ASSERT(overflowing_.empty());
  for (const int to : lanes_.indices()) {
    const auto index = static_cast<std::size_t>(to);
    Lane& lane = lanes_[index];
    if (lane.channel == nullptr) continue;
    space_.head(to).peer(space_.me()).channel.store(0, std::memory_order_relaxed);
    ARMATURE_ASSERT(space_.free(lane.channel, space::Allocation::Kind::internal));
    lane.channel = nullptr;
    lane.committed = nullptr;
    lane.in_channel = lane.consumed = 0;
    const std::uint64_t sent = outgoing_[index].sent;
    outgoing_[index] = {};
    outgoing_[index].sent = sent;
  }
}

}  // namespace rmi

namespace detail {

std::byte* start_first(Outgoing& out, std::size_t bytes, const Named& named, bool takes_code) {
  // Others may be called while room is made, who may send something to the same rank.
  std::byte* const at = reserve(out, bytes);
  const RequestHeader header{.units = static_cast<std::uint16_t>(bytes / RequestHeader::unit),
                             .kind = static_cast<std::uint8_t>(RequestKind::full_header),
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
