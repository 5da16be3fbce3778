#pragma once

#include <atomic>
#include <cstdint>
#include <optional>

#include "base/clock.hpp"
#include "space/control.hpp"
#include "wait/rank_context.hpp"
#include "wait/trace.hpp"
#include "wait/wait_for.hpp"

// A rank tells others of its wait, for as long as it waits.

namespace armature::wait {

namespace detail {

/// Writes into the wait record; sequence is odd while it changes.
template <class Write>
[[gnu::always_inline]] inline void change_record(space::WaitRecord& record, Write&& write) {
  // One writer: no need to lock the bus.
  const std::uint32_t sequence = record.sequence.load(std::memory_order_relaxed);
  record.sequence.store(sequence + 1, std::memory_order_relaxed);
  std::atomic_thread_fence(std::memory_order_release);
  write();
  record.sequence.store(sequence + 2, std::memory_order_release);
}

inline void publish(space::WaitRecord& record, const WaitFor& wait, std::uint64_t since_ns) {
  change_record(record, [&] {
    record.peer.store(wait.peer, std::memory_order_relaxed);
    record.team.store(wait.team, std::memory_order_relaxed);
    record.object.store(reinterpret_cast<std::uint64_t>(wait.object), std::memory_order_relaxed);
    record.detail.store(wait.detail, std::memory_order_relaxed);
    record.since_ns.store(since_ns, std::memory_order_relaxed);
    record.awaiting.store(wait.what, std::memory_order_relaxed);
  });
}

/// Writes two fields only: nobody reads more of what is no wait.
inline void publish(space::WaitRecord& record, space::Awaiting what, std::uint64_t since_ns) {
  change_record(record, [&] {
    record.since_ns.store(since_ns, std::memory_order_relaxed);
    record.awaiting.store(what, std::memory_order_relaxed);
  });
}

inline space::WaitRecord& record_of(const RankContext& me) {
  return me.space.slot(me.space.me()).wait;
}

/// The time for the record: where ranks take turns, reading the clock would be the larger part of a
/// wait.
inline std::uint64_t now_ns(const RankContext& me) {
  return me.scheduler != nullptr ? me.scheduler->now_ns() : base::now_ns();
}

/// A wait as its record has it.
struct PublishedWait {
  explicit PublishedWait(const space::WaitRecord& record)
      : wait{.what = record.awaiting.load(std::memory_order_relaxed),
             .peer = record.peer.load(std::memory_order_relaxed),
             .team = record.team.load(std::memory_order_relaxed),
             .object = reinterpret_cast<const void*>(record.object.load(std::memory_order_relaxed)),
             .detail = record.detail.load(std::memory_order_relaxed)},
        since_ns(record.since_ns.load(std::memory_order_relaxed)) {}

  WaitFor wait;
  std::uint64_t since_ns;
};

}  // namespace detail

/// Takes the record back however the wait ends. One inside a method has interrupted another, which
/// is there again then.
class Published {
 public:
  Published(const RankContext& me, const WaitFor& wait)
      : me_(me), record_(detail::record_of(me)), since_ns_(detail::now_ns(me)), peer_(wait.peer) {
    if (space::is_interrupted(record_.awaiting.load(std::memory_order_relaxed))) [[unlikely]]
      outer_.emplace(record_);
    detail::publish(record_, wait, since_ns_);
  }
  Published(const Published&) = delete;
  Published& operator=(const Published&) = delete;
  ~Published() {
    const std::uint64_t now_ns = detail::now_ns(me_);
    if (traces_wait(now_ns - since_ns_)) [[unlikely]]
      trace_wait(now_ns);
    if (outer_) [[unlikely]]
      detail::publish(record_, outer_->wait, outer_->since_ns);
    else
      detail::publish(record_, space::Awaiting::nothing, now_ns);
  }

  void refresh(const WaitFor& wait) {
    if (wait.peer == peer_) return;
    peer_ = wait.peer;
    detail::publish(record_, wait, since_ns_);
  }
  [[nodiscard]] std::uint64_t since_ns() const { return since_ns_; }

 private:
  [[gnu::cold]] void trace_wait(std::uint64_t now_ns) const {
    trace({.kind = TraceEvent::Kind::wait,
           .rank = static_cast<int>(me_.space.me()),
           .other = peer_,
           .what = static_cast<std::uint32_t>(record_.awaiting.load(std::memory_order_relaxed)),
           .begin_ns = since_ns_,
           .end_ns = now_ns});
  }

  const RankContext& me_;
  space::WaitRecord& record_;
  std::optional<detail::PublishedWait> outer_;
  std::uint64_t since_ns_;
  int peer_;
};

}  // namespace armature::wait
