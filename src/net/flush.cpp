#include "net/flush.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <utility>

#include "wait/processes.hpp"
#include "wait/suppress_thread.hpp"
#include "wait/wait.hpp"

namespace armature::net {

using transport::Link;
using Lock = transport::Links::Lock;

/// Blocks until the streams that have begun so far have been sent.
void Flush::await_streams(int process, int rank, const char* call) {
  if (!links_.to(process).streams().any()) return;
  std::uint64_t last = 0;
  const int here = links_.process();
  {
    const Lock locked(links_.lock());
    last = links_.to(process).streams().begun();
  }
  const auto are_sent = [&] {
    const Link& link = links_.to(process);
    return links_.process() != here || link.streams().oldest() > last ||
           peers_.is_failed(link, rank);
  };
  wait::WaitFor wait{
      .what = space::Awaiting::completion, .peer = rank, .is_notified = false, .call = call};
  wait::wait_until(wait, [&] {
    if (are_sent()) return true;
    (void)poller_.try_poll();
    return are_sent();
  });
}

/// False when the process is lost, where the job goes on, before it had handled everything.
bool Flush::await_handled(int process, int rank, const char* call) {
  const wait::SuppressThread suppressed;
  await_streams(process, rank, call);
  std::uint64_t target = 0;
  const int here = links_.process();
  {
    const Lock locked(links_.lock());
    send_held();
    target = links_.to(process).wanting();
  }
  // A rank that is in another process meanwhile has gone there when all was handled.
  const auto is_handled = [&] {
    return links_.process() != here || links_.to(process).acknowledged() >= target;
  };
  const auto is_over = [&] { return is_handled() || peers_.is_failed(links_.to(process), rank); };
  wait::WaitFor wait{
      .what = space::Awaiting::completion, .peer = rank, .is_notified = false, .call = call};
  wait::wait_until(wait, [&] {
    if (is_over()) return true;
    (void)poller_.try_poll();
    return is_over();
  });
  return is_handled();
}

/// Blocks until what the engine has begun by itself so far is over. A rank that is in another
/// process meanwhile has nothing under way here.
void Flush::await_engine(const char* call) {
  const int here = links_.process();
  std::uint64_t last = 0;
  const auto is_over = [&] {
    const Lock locked(links_.lock());
    return links_.process() != here || !parts_.any_until(last);
  };
  {
    const Lock locked(links_.lock());
    if (!parts_.any()) return;
    last = parts_.begun();
  }
  wait::WaitFor wait{.what = space::Awaiting::completion, .is_notified = false, .call = call};
  wait::wait_until(wait, [&] {
    (void)poller_.try_poll();
    return is_over();
  });
}

void Flush::to(int rank, const char* call) {
  await_engine(call);
  records_to(rank, call);
}

void Flush::records_to(int rank, const char* call) {
  if (!await_handled(link_to(rank).process(), rank, call)) fail_lost(rank, call);
}

/// Returns the next process to which this one is connected, but for that one, that has not handled
/// everything yet, or -1. `at`: how many have been looked at.
int Flush::next_open(std::size_t& at, int but) {
  const Lock locked(links_.lock());
  if (at == 0) send_held();
  // Records that a lost process has not handled do not count where ranks go on without it.
  const bool lost_count = !wait::recovers_on_nodes(map_.mapping().header());
  while (at < links_.partners().size()) {
    const int other = links_.partners()[at++];
    const Link& link = links_.to(other);
    if (other != but && (lost_count || !link.is_lost()) &&
        (link.wanting() > link.acknowledged() || link.streams().any()))
      return other;
  }
  return -1;
}

void Flush::to_all(const char* call) {
  await_engine(call);
  int lost = -1;
  std::size_t at = 0;
  for (int process = -1; (process = next_open(at, -1)) >= 0;) {
    const int rank = peers_.first_rank_of(process);
    if (await_handled(process, rank, call)) continue;
    const Lock locked(links_.lock());
    const std::uint64_t wanting = links_.to(process).wanting();
    told_lost_.resize(static_cast<std::size_t>(links_.processes()));
    std::uint64_t& told = told_lost_[static_cast<std::size_t>(process)];
    if (std::exchange(told, wanting) < wanting) lost = rank;
  }
  if (lost >= 0) fail_lost(lost, call);
}

void Flush::to_reachable(const char* call, int but) {
  await_engine(call);
  std::size_t at = 0;
  for (int other = -1; (other = next_open(at, but)) >= 0;)
    (void)await_handled(other, peers_.first_rank_of(other), call);
}

void Flush::await_room(int rank, const char* call) {
  const auto has_room = [&] { return link_to(rank).queued() < Link::queued_max; };
  if (has_room()) return;
  // The engine's room, which that rank's process makes, not the rank.
  wait::WaitFor wait{
      .what = space::Awaiting::completion, .peer = rank, .is_notified = false, .call = call};
  wait::wait_until(wait, [&] {
    (void)poller_.try_poll();
    return has_room();
  });
}

void Flush::send_held() {
  if (rings_.holds()) rings_.look_again();
  links_.flush_all();
}

bool Flush::is_over(int rank) {
  const Lock locked(links_.lock());
  rings_.look_again(rank);
  bool all = !rings_.holds_back(rank) && !parts_.any_of(rank);
  for (const int process : links_.partners()) all = links_.to(process).settles(rank) && all;
  return all;
}

bool Flush::is_drained() {
  send_held();
  if (parts_.any()) return false;
  for (const transport::Service* const one : links_.services().all())
    if (one->quiesce != nullptr && !one->quiesce()) return false;
  return std::ranges::all_of(links_.partners(), [&](int process) {
    const Link& link = links_.to(process);
    return link.is_lost() ||
           (link.is_idle() && !link.holds_records() && !link.streams().any() && link.queued() == 0);
  });
}

}  // namespace armature::net
