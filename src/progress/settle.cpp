// Waiting until what was sent has been handled, or cannot be any more.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <utility>

#include <fmt/format.h>

#include "base/fail.hpp"
#include "progress/network.hpp"
#include "progress/wait.hpp"

namespace armature::progress {

using base::fail;
using space::Life;
using transport::Link;
using Lock = std::lock_guard<std::recursive_mutex>;

namespace {

[[noreturn]] void fail_lost(int rank, const char* call) {
  fail(Errc::rank_lost,
       fmt::format("{}: rank {} has died, or its node cannot be reached any more", call, rank));
}

}  // namespace

/// Whether nothing is expected of that rank any more. Another process of this node may have given
/// it up before this one has.
bool Network::is_lost(int rank) {
  return goes_on() && (link_to(rank).is_lost() ||
                       mapping_.slot(rank).life.load(std::memory_order_acquire) == Life::dead);
}

void Network::require_reachable(int rank, const char* call) {
  if (is_lost(rank)) fail_lost(rank, call);
}

/// False when the process is lost, where the job goes on, before it had handled everything.
bool Network::settle(int rank, const char* call) {
  Link& link = link_to(rank);
  std::uint64_t target = 0;
  {
    const Lock locked(links_.lock());
    flush_held();
    target = link.wanting();
  }
  WaitFor wait{.what = space::Awaiting::completion, .peer = rank, .rings = false, .call = call};
  const auto is_over = [&] { return link.acknowledged() >= target || is_lost(rank); };
  wait_until(wait, [&] {
    if (is_over()) return true;
    try_poll();
    return is_over();
  });
  return link.acknowledged() >= target;
}

void Network::fence(int rank, const char* call) {
  if (!settle(rank, call)) fail_lost(rank, call);
}

void Network::fence_all(const char* call) {
  int lost = -1;
  for (int r = 0; r < mapping_.ranks(); ++r) {
    if (mapping_.is_here(r) || mapping_.slot(r).index != 0 || settle(r, call)) continue;
    const Lock locked(links_.lock());
    const std::uint64_t wanting = link_to(r).wanting();
    told_lost_.resize(static_cast<std::size_t>(links_.processes()));
    std::uint64_t& told = told_lost_[static_cast<std::size_t>(mapping_.slot(r).process)];
    if (std::exchange(told, wanting) < wanting) lost = r;
  }
  if (lost >= 0) fail_lost(lost, call);
}

void Network::settle_all(const char* call) {
  for (int r = 0; r < mapping_.ranks(); ++r)
    if (!mapping_.is_here(r) && mapping_.slot(r).index == 0) (void)settle(r, call);
}

void Network::settle_others(int process, const char* call) {
  const auto is_open = [&](int other) {
    const Link& link = links_.to(other);
    return other != process && link.wanting() > link.acknowledged();
  };
  {
    const Lock locked(links_.lock());
    if (std::none_of(others_.begin(), others_.end(), is_open)) return;
  }
  for (int r = 0; r < mapping_.ranks(); ++r)
    if (!mapping_.is_here(r) && mapping_.slot(r).index == 0 && mapping_.slot(r).process != process)
      (void)settle(r, call);
}

void Network::await_room(int rank, const char* call) {
  constexpr std::size_t queued_max = 64;
  const Link& link = link_to(rank);
  if (link.queued() < queued_max) return;
  // The engine's room, which that rank's process makes, not the rank.
  WaitFor wait{.what = space::Awaiting::completion, .peer = rank, .rings = false, .call = call};
  wait_until(wait, [&] {
    try_poll();
    return link.queued() < queued_max;
  });
}

}  // namespace armature::progress
