#include "net/peers.hpp"

#include <fmt/format.h>

#include "base/clock.hpp"
#include "base/fail.hpp"
#include "net/records.hpp"
#include "wait/notifier.hpp"
#include "wait/processes.hpp"

namespace armature::net {

using base::fail;
using space::Life;
using transport::Arrived;
using transport::Link;
using Lock = transport::Links::Lock;

namespace {

/// Wakes the ranks of this node. Virtual ranks may be very many: their processes are woken instead,
/// and each finds out by itself which ranks it concerns.
void ring_ranks_here(const space::Mapping& mapping) {
  if (mapping.header().ranks_are_virtual != 0) {
    for (int p = 0; p < static_cast<int>(mapping.header().processes); ++p)
      wait::wake(mapping.process_slot(p));
    return;
  }
  for (int r = 0; r < mapping.ranks(); ++r)
    if (mapping.is_here(r)) wait::detail::wake(mapping.slot(r));
}

}  // namespace

void fail_lost(int rank, const char* call) {
  fail(Errc::rank_lost,
       fmt::format("{}: rank {} has died, or its node cannot be reached any more", call, rank));
}

Peers::Peers(const space::Mapping& mapping, transport::Links& links)
    : mapping_(mapping),
      links_(links),
      first_ranks_(static_cast<std::size_t>(links.processes()), -1) {
  if (mapping.process_slot(links.process()).is_to_come()) return;  // it knows nobody yet
  for (int r = 0; r < mapping.ranks(); ++r) {
    const int process = mapping.place_of(r).process;
    int& first = first_ranks_[static_cast<std::size_t>(process)];
    if (first < 0) first = r;
    if (!mapping.is_here(r) && (all_.empty() || all_.back() != process)) all_.push_back(process);
  }
}

bool Peers::is_failed(const Link& link, int rank) const {
  return goes_on() &&
         (link.is_lost() || mapping_.slot(rank).life.load(std::memory_order_acquire) == Life::dead);
}

void Peers::require_reachable(int rank, const char* call) {
  if (is_failed(links_.to(mapping_.slot(rank).process), rank)) fail_lost(rank, call);
}

void Peers::on_life(const Arrived& arrived) {
  const auto told = static_cast<Life>(arrived.head<std::uint32_t>());
  const int rank = arrived.record.from;
  if (rank < 0 || rank >= mapping_.ranks() || mapping_.is_here(rank) || told > Life::finished)
    fail(Errc::corrupt, fmt::format("process {} says that rank {} is in state {}", arrived.process,
                                    rank, static_cast<int>(told)));
  // Each process of this node is told: none goes back to what another knows better.
  Life known = mapping_.slot(rank).life.load(std::memory_order_relaxed);
  while (known < told && !mapping_.slot(rank).life.compare_exchange_weak(
                             known, told, std::memory_order_release, std::memory_order_relaxed)) {
  }
  if (told == Life::finished) mapping_.header().gone.left.fetch_add(1, std::memory_order_release);
  ring_ranks_here(mapping_);
}

void Peers::tell_partners(transport::Kind kind) {
  for (const int process : links_.partners()) {
    (void)links_.to(process).append(kind, -1, -1, 0, Link::Ack::none);
    links_.to(process).flush();
  }
}

void Peers::tell_life(int rank, Life life) {
  const Lock locked(links_.lock());
  for (const int process : links_.partners()) {
    Link& link = links_.to(process);
    link.post(Kind::life, rank, -1, static_cast<std::uint32_t>(life), Link::Ack::none);
    link.flush();
  }
}

/// Ends the job some time after a failure. Where a job ends with its first dead rank, its launcher
/// ends it. When that does not happen, the rank is not dead for the launcher: its node hangs, or a
/// link is down. Then this process ends the job.
void Peers::end_after_failure() {
  constexpr std::uint64_t grace_ns = 2'000'000'000;
  if (first_failure_.at_ns == 0 || base::now_ns() - first_failure_.at_ns < grace_ns) return;
  if (end_job_ != nullptr) end_job_(first_failure_.process, first_failure_.why.c_str());
}

void Peers::note_failure(int process, const char* why) {
  bool is_news = false;  // on this node
  for (int r = 0; r < mapping_.ranks(); ++r) {
    space::RankSlot& slot = mapping_.slot(r);
    if (slot.process != process) continue;
    // Life first: who sees the number of deaths grow looks for the dead.
    Life before = slot.life.load(std::memory_order_acquire);
    while (before < Life::finished &&
           !slot.life.compare_exchange_weak(before, Life::dead, std::memory_order_acq_rel)) {
    }
    if (before >= Life::finished) continue;
    is_news = true;
    mapping_.header().gone.remote_deaths.fetch_add(1, std::memory_order_release);
    mapping_.header().gone.deaths.fetch_add(1, std::memory_order_release);
    if (goes_on() || first_failure_.at_ns != 0) continue;
    first_failure_.process = process;
    first_failure_.why = why;
    first_failure_.at_ns = base::now_ns();
  }
  for (const transport::Service* const one : links_.services().all())
    if (one->peer_failed != nullptr) one->peer_failed(process);
  if (is_news && say_failed_ != nullptr) say_failed_(process, why);
  ring_ranks_here(mapping_);
}

}  // namespace armature::net
