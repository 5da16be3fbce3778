// Waiting until what was sent has been handled, or cannot be any more.
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/fail.hpp"
#include "net/network.hpp"
#include "wait/processes.hpp"
#include "wait/quiet.hpp"
#include "wait/wait.hpp"

namespace armature::net {

using base::fail;
using space::Life;
using transport::Link;
using Lock = transport::Links::Lock;

namespace {

[[noreturn]] void fail_lost(int rank, const char* call) {
  fail(Errc::rank_lost,
       fmt::format("{}: rank {} has died, or its node cannot be reached any more", call, rank));
}

}  // namespace

/// Whether nothing is expected of that rank any more. Another process of this node may have given
/// it up before this one has.
bool Network::is_lost(const Link& link, int rank) {
  return goes_on() && (link.is_lost() ||
                       mapping().slot(rank).life.load(std::memory_order_acquire) == Life::dead);
}

void Network::require_reachable(int rank, const char* call) {
  if (is_lost(link_to(rank), rank)) fail_lost(rank, call);
}

/// Blocks until the streams that have begun so far have been sent.
void Network::await_streams(int process, int rank, const char* call) {
  if (!links_.to(process).has_streams()) return;
  std::uint64_t last = 0;
  const int here = links_.process();
  {
    const Lock locked(links_.lock());
    last = links_.to(process).streams_begun();
  }
  const auto are_sent = [&] {
    const Link& link = links_.to(process);
    return links_.process() != here || link.oldest_stream() > last || is_lost(link, rank);
  };
  wait::WaitFor wait{
      .what = space::Awaiting::completion, .peer = rank, .rings = false, .call = call};
  wait::wait_until(wait, [&] {
    if (are_sent()) return true;
    try_poll();
    return are_sent();
  });
}

/// False when the process is lost, where the job goes on, before it had handled everything.
bool Network::settle(int process, int rank, const char* call) {
  const wait::Quiet quiet;
  await_streams(process, rank, call);
  std::uint64_t target = 0;
  const int here = links_.process();
  {
    const Lock locked(links_.lock());
    flush_held();
    target = links_.to(process).wanting();
  }
  // A rank that is in another process meanwhile has gone there when all was handled.
  const auto is_handled = [&] {
    return links_.process() != here || links_.to(process).acknowledged() >= target;
  };
  const auto is_over = [&] { return is_handled() || is_lost(links_.to(process), rank); };
  wait::WaitFor wait{
      .what = space::Awaiting::completion, .peer = rank, .rings = false, .call = call};
  wait::wait_until(wait, [&] {
    if (is_over()) return true;
    try_poll();
    return is_over();
  });
  return is_handled();
}

void Network::fence(int rank, const char* call) {
  if (!settle(link_to(rank).process(), rank, call)) fail_lost(rank, call);
}

/// The processes on other nodes, but for that one, that have not handled everything yet.
std::vector<int> Network::open_processes(int but) {
  // The caller's own memory, which it may take to another process: not under the lock.
  std::vector<int> open;
  open.reserve(others_.size());
  const Lock locked(links_.lock());
  flush_held();
  // Where ranks go on without a process, what it has not handled does not count.
  const bool lost_count = !wait::recovers_on_nodes(mapping().header());
  for (const int other : others_)
    if (const Link& link = links_.to(other);
        other != but && (lost_count || !link.is_lost()) &&
        (link.wanting() > link.acknowledged() || link.has_streams()))
      open.push_back(other);
  return open;
}

void Network::fence_all(const char* call) {
  int lost = -1;
  for (const int process : open_processes(-1)) {
    const int rank = first_rank_of(process);
    if (settle(process, rank, call)) continue;
    const Lock locked(links_.lock());
    const std::uint64_t wanting = links_.to(process).wanting();
    told_lost_.resize(static_cast<std::size_t>(links_.processes()));
    std::uint64_t& told = told_lost_[static_cast<std::size_t>(process)];
    if (std::exchange(told, wanting) < wanting) lost = rank;
  }
  if (lost >= 0) fail_lost(lost, call);
}

void Network::settle_all(const char* call) { settle_others(-1, call); }

void Network::settle_others(int process, const char* call) {
  for (const int other : open_processes(process)) (void)settle(other, first_rank_of(other), call);
}

void Network::await_room(int rank, const char* call) {
  const auto has_room = [&] { return link_to(rank).queued() < Link::queued_max; };
  if (has_room()) return;
  // The engine's room, which that rank's process makes, not the rank.
  wait::WaitFor wait{
      .what = space::Awaiting::completion, .peer = rank, .rings = false, .call = call};
  wait::wait_until(wait, [&] {
    try_poll();
    return has_room();
  });
}

void Network::start(transport::Stream& stream, int rank, int process, Start how) {
  {
    const Lock locked(links_.lock());
    Link& link = links_.to(process);
    link.begin(stream, rank);
    if (how == Start::now) return (void)link.push();
  }
  service_.wake();
}

}  // namespace armature::net
