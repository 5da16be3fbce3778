#include "simulation/timed_network.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "base/fail.hpp"
#include "space/segment_head.hpp"
#include "transport/channel.hpp"
#include "transport/mailbox.hpp"

namespace armature::simulation {

using transport::LogGP;

namespace {

// A request for bytes, and what an acknowledgement is.
constexpr std::size_t request_bytes = 32;

}  // namespace

TimedNetwork::TimedNetwork(const space::Mapping& mapping, TimedSimulator& simulator,
                           const transport::NetworkCosts& costs)
    : mapping_(mapping),
      simulator_(simulator),
      costs_(costs),
      ends_(static_cast<std::size_t>(mapping.ranks())) {
  simulator_.measure(costs.measured);
  simulator_.on_notify([this](int to) { return !note_published(to) && !note_written(to); });
  CostModel::set_of_job(this);
  // Every rank is said to sleep, so that who makes its condition true notifies it.
  for (int rank = 0; rank < mapping.ranks(); ++rank)
    mapping.slot(rank).asleep.store(1, std::memory_order_relaxed);
}

TimedNetwork::~TimedNetwork() {
  CostModel::set_of_job(nullptr);
  for (int rank = 0; rank < mapping_.ranks(); ++rank)
    mapping_.slot(rank).asleep.store(0, std::memory_order_relaxed);
}

TimedNetwork::Lane& TimedNetwork::lane(int from, int to) {
  return lanes_[std::uint64_t{static_cast<std::uint32_t>(from)} << 32 |
                static_cast<std::uint32_t>(to)];
}

/// Bytes leave now, and `there` is called when they are there. Each end takes one message after the
/// other, in the order in which their first bytes come.
void TimedNetwork::carry(int from, int to, std::size_t bytes, Act there) {
  if (from == to) return simulator_.at(simulator_.now(), std::move(there));
  const LogGP& cost = costs_.between(from, to);
  const Picoseconds on_wire = cost.bytes(bytes), busy = std::max(on_wire, cost.gap());
  End& out = end(from);
  const Picoseconds begins = std::max(simulator_.now(), out.out_free);
  out.out_free = begins + busy;
  ++out.traffic.messages;
  out.traffic.bytes += bytes;
  simulator_.at(begins + cost.latency(),
                [this, to, on_wire, busy, there = std::move(there)]() mutable {
                  End& in = end(to);
                  const Picoseconds comes = std::max(simulator_.now(), in.in_free);
                  in.in_free = comes + busy;
                  simulator_.at(comes + on_wire, std::move(there));
                });
}

void TimedNetwork::charge_overhead(int other) {
  const int me = simulator_.running();
  if (me >= 0 && me != other) simulator_.charge(costs_.between(me, other).overhead());
}

void TimedNetwork::compute(double seconds) {
  // The clock has 63 bits. Half of them are left to what comes behind.
  constexpr double most_s = 0x1p62 * 1e-12;
  if (static_cast<double>(simulator_.now()) * 1e-12 + seconds > most_s)
    base::fail(Errc::bad_argument,
               fmt::format("compute: a prediction ends after {:.3g} s, and {:g} s more are beyond",
                           most_s, seconds));
  simulator_.compute(LogGP::picoseconds(seconds));
}

void TimedNetwork::send(int to, std::size_t bytes, Act arrived) {
  const int from = simulator_.running();
  charge_overhead(to);
  ++end(from).unknown;
  carry(from, to, bytes, [this, from, to, arrived = std::move(arrived)] {
    arrived();
    simulator_.notify_at(simulator_.now(), to);
    const Picoseconds back = from == to ? 0 : costs_.between(from, to).latency();
    simulator_.at(simulator_.now() + back, [this, from] {
      if (--end(from).unknown == 0) simulator_.notify_at(simulator_.now(), from);
    });
  });
}

void TimedNetwork::fetch(int from, std::size_t bytes, Act read, Act arrived) {
  const int me = simulator_.running();
  charge_overhead(from);
  carry(me, from, request_bytes,
        [this, me, from, bytes, read = std::move(read), arrived = std::move(arrived)]() mutable {
          read();
          carry(from, me, bytes, [this, me, from, arrived = std::move(arrived)] {
            const Picoseconds taken_in =
                simulator_.now() + (from == me ? 0 : costs_.between(from, me).overhead());
            simulator_.at(taken_in, [this, me, arrived] {
              arrived();
              simulator_.notify_at(simulator_.now(), me);
            });
          });
        });
}

/// The bytes were asked for when the message had come.
void TimedNetwork::copied(int from, std::size_t bytes) {
  if (simulator_.running() < 0 || from == simulator_.running()) return;
  bool is_there = false;
  fetch(
      from, bytes, [] {}, [&] { is_there = true; });
  while (!is_there) simulator_.wait_for_notice();
}

// All that was put is waited for; which rank's is meant makes a difference of one latency.
void TimedNetwork::fence(int /*to*/) {
  while (end(simulator_.running()).unknown != 0) simulator_.wait_for_notice();
}

/// Whether the rank that runs has published something for that one. It is then notified when that
/// arrives.
bool TimedNetwork::note_published(int to) {
  const int from = simulator_.running();
  if (from < 0 || from == to || mapping_.extent(to) == 0) return false;
  space::PeerLine& line = mapping_.head(to).peer(from);
  bool any = false;
  if (const std::uint64_t at = line.channel.load(std::memory_order_acquire); at != 0) {
    const auto* channel = reinterpret_cast<const transport::Channel*>(at);
    const std::uint64_t published = channel->published.load(std::memory_order_acquire);
    Ring& ring = lane(from, to).calls;
    any = published != ring.published;
    publish(from, to, ring, published);
  }
  if (const std::uint64_t at = line.mailbox.load(std::memory_order_acquire); at != 0) {
    const std::uint64_t written =
        reinterpret_cast<transport::Ring*>(at)->written().load(std::memory_order_acquire);
    Ring& ring = lane(from, to).messages;
    any = any || written != ring.published;
    publish(from, to, ring, written);
  }
  return any;
}

/// Whether that rank waits for what the one that runs has written for it into shared memory, which
/// between nodes would be a message: an answer, or a mutex that is handed on.
bool TimedNetwork::note_written(int to) {
  const int from = simulator_.running();
  const space::Awaiting awaited = mapping_.slot(to).wait.waits_for();
  if (from < 0 || from == to ||
      (awaited != space::Awaiting::answer && awaited != space::Awaiting::mutex))
    return false;
  charge_overhead(to);
  carry(from, to, request_bytes, [this, from, to] {
    const Picoseconds taken_in = simulator_.now() + costs_.between(from, to).overhead();
    simulator_.notify_at(taken_in, to);
  });
  return true;
}

void TimedNetwork::publish(int from, int to, Ring& ring, std::uint64_t published) {
  if (published == ring.published) return;
  const std::size_t bytes = published - std::exchange(ring.published, published);
  if (from == simulator_.running()) charge_overhead(to);
  // References to entries of the table stay.
  carry(from, to, bytes, [this, to, &ring, published] {
    ring.arrived = published;
    ++ring.messages_arrived;
    simulator_.notify_at(simulator_.now(), to);
  });
}

std::uint64_t TimedNetwork::see(int from, int to, Ring& ring, std::uint64_t published) {
  if (from == to) return published;
  publish(from, to, ring, published);
  for (; ring.messages_seen < ring.messages_arrived; ++ring.messages_seen) charge_overhead(from);
  return ring.arrived;
}

std::uint64_t TimedNetwork::visible(int from, int to, std::uint64_t published) {
  return see(from, to, lane(from, to).calls, published);
}

std::uint64_t TimedNetwork::visible_messages(int from, int to, std::uint64_t written) {
  return see(from, to, lane(from, to).messages, written);
}

TimedNetwork::Round& TimedNetwork::take_part(const wait::RoundCost& cost) {
  Round& round = rounds_[{cost.team, cost.round}];
  RoundTimes& times = round.times;
  if (times.entered.empty()) {
    times.cost = cost;
    times.entered.resize(cost.ranks.size());
    times.shown.resize(cost.ranks.size());
  }
  times.entered[cost.member] = simulator_.now();
  times.shown[cost.member] = cost.shown_bytes;
  ++round.entered;
  return round;
}

void TimedNetwork::enter(const wait::RoundCost& cost) {
  if (cost.is_fence) fence(-1);
  take_part(cost);
}

// All have heard of the round before the last one when all have shown this one. One that all have
// shown already was of another team, whose memory this one has: a new team counts from 1.
void TimedNetwork::show(const wait::RoundCost& cost) {
  const auto former = rounds_.find({cost.team, cost.round});
  if (former != rounds_.end() && !former->second.left.empty()) rounds_.erase(former);
  Round& round = take_part(cost);
  if (round.entered < cost.ranks.size()) return;
  round.times.cost.ranks = cost.ranks;
  round.left = times_of_round(round.times, costs_);
  for (std::size_t member = 0; member < cost.ranks.size(); ++member)
    simulator_.notify_at(round.left[member], cost.ranks[member]);
  rounds_.erase({cost.team, cost.round - 2});
}

bool TimedNetwork::has_heard(const wait::RoundCost& cost) const {
  const auto found = rounds_.find({cost.team, cost.round});
  return found != rounds_.end() && !found->second.left.empty() &&
         found->second.left[cost.member] <= simulator_.now();
}

void TimedNetwork::leave(const wait::RoundCost& cost) {
  const auto found = rounds_.find({cost.team, cost.round});
  if (found == rounds_.end()) return;
  Round& round = found->second;
  // Somebody has given up.
  if (round.entered < cost.ranks.size()) return;
  if (round.left.empty()) {
    round.times.cost.ranks = cost.ranks;
    round.left = times_of_round(round.times, costs_);
  }
  const Picoseconds until = round.left[cost.member];
  if (++round.leaving == cost.ranks.size()) rounds_.erase(found);
  simulator_.wait_until_time(until);
}

}  // namespace armature::simulation
