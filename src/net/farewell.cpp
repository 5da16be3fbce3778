#include "net/farewell.hpp"

#include <sched.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "base/clock.hpp"
#include "base/futex.hpp"

namespace armature::net {

using transport::Link;
using Lock = transport::Links::Lock;

namespace {

constexpr std::uint64_t patience_ns = 10'000'000'000;

/// Under the links' lock.
void send_empty(Link& link, transport::Kind kind, Link::Ack ack) {
  (void)link.append(kind, -1, -1, 0, ack);
  link.flush();
}

}  // namespace

Farewell::Farewell(transport::Links& links, Peers& peers, std::function<void()> poll)
    : links_(links),
      peers_(peers),
      poll_(std::move(poll)),
      until_ns_(base::now_ns() + patience_ns) {}

template <class Condition>
void Farewell::wait_until(Condition is_over) {
  while (!is_over() && base::now_ns() < until_ns_) {
    poll_();
    sched_yield();
  }
}

void Farewell::await_handled() {
  struct Sent {
    const Link* link;
    std::uint64_t wanting;
  };
  std::vector<Sent> sent;
  {
    const Lock locked(links_.lock());
    for (const int process : links_.partners()) {
      Link& link = links_.to(process);
      send_empty(link, transport::Kind::none, Link::Ack::soon);
      sent.push_back({&link, link.wanting()});
    }
  }
  wait_until([&] {
    return std::ranges::all_of(sent, [](const Sent& one) {
      return one.link->is_lost() || one.link->acknowledged() >= one.wanting;
    });
  });
}

void Farewell::tell_over(int process) {
  const Lock locked(links_.lock());
  send_empty(links_.to(process), transport::Kind::over, Link::Ack::none);
}

bool Farewell::have_told_over(const std::vector<int>& processes) const {
  return std::ranges::all_of(processes, [&](int process) {
    const Link& link = links_.to(process);
    return link.said_over() || link.is_lost();
  });
}

void Farewell::agree(const NodeTree& tree) {
  await_handled();
  space::NodePart& here = peers_.mapping().header().here;
  // Release: the first of the node tells for those whose number it sees.
  here.parting.fetch_add(1, std::memory_order_release);
  if (!tree.is_first) {
    const auto have_all = [&] { return here.all_part.load(std::memory_order_acquire) != 0; };
    constexpr long look_every_ns = 1'000'000;  // besides, the network's thread polls
    return wait_until([&] {
      if (!have_all()) base::futex_wait(here.all_part, 0, look_every_ns);
      return have_all();
    });
  }
  wait_until([&] { return here.parting.load(std::memory_order_acquire) >= here.processes; });
  wait_until([&] { return have_told_over(tree.children); });
  if (tree.parent >= 0) {
    tell_over(tree.parent);
    wait_until([&] { return have_told_over({tree.parent}); });
  }
  for (const int child : tree.children) tell_over(child);
  here.all_part.store(1, std::memory_order_release);
  base::futex_wake(here.all_part);
}

void Farewell::say() {
  std::vector<int> partners;
  {
    const Lock locked(links_.lock());
    partners = links_.partners();
    peers_.tell_partners(transport::Kind::bye);
  }
  for (const int process : partners) {
    const Link& link = links_.to(process);
    wait_until([&] { return (link.said_bye() && link.queued() == 0) || link.is_lost(); });
  }
}

}  // namespace armature::net
