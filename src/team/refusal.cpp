#include "team/refusal.hpp"

#include <fmt/format.h>

#include "base/fail.hpp"
#include "net/network.hpp"
#include "team/records.hpp"
#include "wait/notifier.hpp"
#include "wait/wait.hpp"

namespace armature::team {

using net::network;
using transport::Arrived;
using transport::Link;
using Lock = transport::Links::Lock;

namespace {

struct RefuseRecord {
  std::uint64_t call;  // 0: who has sent this has seen the refusal
};

/// Never 0.
std::uint64_t word_of(const Making& making) { return making.call() | 1; }

void send(const wait::RankContext& me, int to, std::uint64_t call) {
  const Lock locked(network()->links().lock());
  Link& link = network()->link_to(Rank(to));
  link.post(Kind::refuse, me.space.me(), to, RefuseRecord{call}, Link::Ack::none);
  link.flush();
}

void on_refuse(const Arrived& arrived) {
  const space::Mapping& mapping = network()->mapping();
  const auto record = arrived.head<RefuseRecord>();
  const int from = arrived.record.from, to = arrived.record.to;
  if (from < 0 || from >= mapping.ranks() || to < 0 || to >= mapping.ranks() ||
      mapping.is_here(from) || !mapping.is_here(to))
    base::fail(Errc::corrupt,
               fmt::format("process {} speaks of ranks {} and {}", arrived.process, from, to));
  space::PeerLine& line =
      record.call != 0 ? mapping.head(to).peer(from) : mapping.head(from).peer(to);
  line.refused.store(record.call, std::memory_order_release);
  wait::notify(mapping.slot(to));
}

}  // namespace

void refuse(wait::RankContext& me, int to, const Making& making) {
  std::atomic<std::uint64_t>& word = me.space.head(to).peer(me.space.me()).refused;
  wait::WaitFor wait{.what = space::Awaiting::team, .peer = to, .call = "Team::create"};
  wait::wait_until(wait, [&] {
    return word.load(std::memory_order_acquire) == 0 ||
           me.space.header().gone.deaths.load(std::memory_order_acquire) != 0;
  });
  // Release: nothing else goes with it, but what this rank has done before is seen.
  word.store(word_of(making), std::memory_order_release);
  me.space.is_here(to) ? wait::notify(me.space.slot(to)) : send(me, to, word_of(making));
}

bool was_refused(wait::RankContext& me, int from, const Making& making) {
  std::atomic<std::uint64_t>& word = me.space.head(me.space.me()).peer(from).refused;
  if (word.load(std::memory_order_acquire) != word_of(making)) return false;
  word.store(0, std::memory_order_release);
  me.space.is_here(from) ? wait::notify(me.space.slot(from)) : send(me, from, 0);
  return true;
}

const std::array<transport::Handling, 1> refusal_handlers{{
    {.kind = transport::number_of(Kind::refuse), .handler = on_refuse, .is_of_rank = true},
}};

}  // namespace armature::team
