#include "rmi/flow_cycle.hpp"

#include <mutex>
#include <utility>

#include <fmt/format.h>

#include "base/fail.hpp"
#include "base/relaxed.hpp"
#include "net/network.hpp"
#include "rmi/records.hpp"
#include "wait/notifier.hpp"

namespace armature::rmi {

using net::network;
using transport::Link;

namespace {

using base::relaxed;  // hints, by which nothing else is found
constexpr int steps_max = 64;

struct Found {
  int at;  // as far as it can be seen here
  int before;
  int steps;
};

/// Follows the cycle from `found` on, as long as it goes on here; at -1 where it ends.
Found follow(const space::Mapping& job, int me, Found found) {
  while (found.at != me && job.is_here(found.at)) {
    const int next = job.slot(found.at).full.until.load(relaxed) - 1;
    if (next < 0 || next >= job.ranks() || ++found.steps > steps_max) return {-1, -1, found.steps};
    found.before = std::exchange(found.at, next);
  }
  return found;
}

void ask_on(int me, const Found& found) {
  const transport::Links::Lock locked(network()->links().lock());
  Link& link = network()->link_to(found.at);
  link.post(Kind::cycle, me, found.at, CycleRecord{found.before, found.steps}, Link::Ack::none);
  link.flush();
}

void on_cycle(const transport::Arrived& arrived) {
  const space::Mapping& job = network()->mapping();
  const auto record = arrived.head<CycleRecord>();
  const int me = arrived.record.from, at = arrived.record.to;
  const auto is_rank = [&](int rank) { return rank >= 0 && rank < job.ranks(); };
  if (!is_rank(me) || !is_rank(at) || !is_rank(record.before) || record.steps < 0 ||
      record.steps > steps_max)
    base::fail(Errc::corrupt,
               fmt::format("process {} asks for ranks that there are not", arrived.process));
  const Found found = follow(job, me, {at, record.before, record.steps});
  if (found.at < 0) return;
  if (found.at != me || !job.is_here(me)) return ask_on(me, found);
  job.slot(me).full.before.store(found.before + 1, relaxed);
  wait::notify(job.slot(me));
}

}  // namespace

const std::array<transport::Handling, 1> cycle_handlers{{
    {.kind = transport::number_of(Kind::cycle), .handler = on_cycle},
}};

int previous_in_cycle(const space::Mapping& job, int me, int until, bool asks) {
  const Found found = follow(job, me, {until, me, 0});
  if (found.at == me) return found.before;
  if (found.at < 0) return -1;
  if (asks) ask_on(me, found);
  std::atomic<std::int32_t>& told = job.slot(me).full.before;
  return told.load(relaxed) != 0 ? told.exchange(0, relaxed) - 1 : -1;
}

}  // namespace armature::rmi
