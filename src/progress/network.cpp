#include "progress/network.hpp"

#include <sched.h>
#include <sys/random.h>

#include <algorithm>
#include <cstring>

#include <fmt/format.h>

#include "base/clock.hpp"
#include "base/fail.hpp"
#include "progress/bell.hpp"
#include "progress/rank_context.hpp"
#include "progress/wait.hpp"

namespace armature::progress {

using base::fail;
using space::Life;
using transport::Arrived;
using transport::Kind;
using transport::Link;
using transport::Links;
using Lock = std::lock_guard<std::recursive_mutex>;

namespace detail {
constinit Network* the_network = nullptr;
}

namespace {

/// What a process tells of itself before it can be reached.
constexpr const char* secret_key = "net.secret";
constexpr const char* address_key = "net.address";

std::uint64_t make_secret() {
  std::uint64_t secret = 0;
  while (secret == 0)
    if (getrandom(&secret, sizeof secret, 0) != sizeof secret)
      fail(Errc::start, fmt::format("no random numbers: {}", base::system_text(errno)));
  return secret;
}

void ring_ranks_here(const space::Mapping& mapping) {
  for (int r = 0; r < mapping.ranks(); ++r)
    if (mapping.is_here(r)) detail::wake(mapping.slot(r));
}

void on_life(const Arrived& arrived) {
  const space::Mapping& mapping = network()->mapping();
  const auto told = static_cast<Life>(arrived.head<std::uint32_t>());
  const int rank = arrived.record.from;
  if (rank < 0 || rank >= mapping.ranks() || mapping.is_here(rank) || told > Life::finished)
    fail(Errc::corrupt, fmt::format("process {} says that rank {} is in state {}", arrived.process,
                                    rank, static_cast<int>(told)));
  // Each process of this node is told: none goes back to what another knows better.
  Life known = mapping.slot(rank).life.load(std::memory_order_relaxed);
  while (known < told && !mapping.slot(rank).life.compare_exchange_weak(
                             known, told, std::memory_order_release, std::memory_order_relaxed)) {
  }
  ring_ranks_here(mapping);
}

}  // namespace

Network::Network(const space::Mapping& mapping, const Spaces& spaces, const Links::Options& options)
    : mapping_(mapping), spaces_(spaces), links_(options), mirrors_(*this) {
  for (int r = 0; r < mapping.ranks(); ++r) {
    const int process = mapping.slot(r).process;
    if (!mapping.is_here(r) && (others_.empty() || others_.back() != process))
      others_.push_back(process);
  }
  Mirrors::install(links_);
  links_.handle(Kind::life, on_life);
  links_.on_idle = [](Link& link) { network()->mirrors_.look_again(link); };
  links_.on_lost = [](Link& link, const char*) {
    if (!link.said_bye()) network()->lost(link.process());
  };
}

void Network::join(const space::Mapping& mapping, const Spaces& spaces,
                   bootstrap::Exchange& exchange, const NetworkOptions& options) {
  if (exchange.process() == 0) {
    const std::uint64_t secret = make_secret();
    exchange.put(secret_key, std::as_bytes(std::span(&secret, 1)));
  }
  exchange.fence();
  const std::vector<std::byte> told = exchange.get(0, secret_key);
  Links::Options links{exchange.process(), exchange.processes(), 0, options.engine};
  if (told.size() != sizeof links.secret) fail(Errc::start, "the job's secret makes no sense");
  std::memcpy(&links.secret, told.data(), sizeof links.secret);
  detail::the_network = new Network(mapping, spaces, links);
  network()->also_lost_ = options.on_lost;
  network()->look_ = options.look;
  for (const auto install : options.handlers) install(network()->links_);
  network()->connect(exchange, options);
}

void Network::connect(bootstrap::Exchange& exchange, const NetworkOptions& options) {
  exchange.put(address_key, links_.engine().address());
  exchange.fence();
  {
    const Lock locked(links_.lock());
    for (const int process : others_) {
      links_.connect(process, exchange.get(process, address_key));
      (void)links_.to(process).append(Kind::hello, -1, -1, 0, Link::Ack::none);
      links_.to(process).flush();
    }
  }
  await_greetings(options);
  service_.start(options.heartbeat_ns);
}

void Network::await_greetings(const NetworkOptions& options) {
  const std::uint64_t begun_ns = base::now_ns();
  for (const int process : others_) {
    const Link& link = links_.to(process);
    while (!link.said_hello()) {
      (void)poll();
      sched_yield();
      if (!link.is_lost() && base::now_ns() - begun_ns < options.connect_ns) continue;
      fail(Errc::start, fmt::format("process {} of the job ({}) cannot be reached by {}", process,
                                    link.is_lost() ? "the connection was refused or broke"
                                                   : "no answer within "
                                                     "the time-out",
                                    links_.engine().description()));
    }
  }
}

namespace {

/// Where a job ends with its first dead rank, its launcher ends it. When that does not happen, the
/// rank is not dead for the launcher: its node hangs, or a link is down. Then we end it.
struct Loss {
  std::uint64_t at_ns = 0;
  int rank = -1;
};
constinit Loss first_loss;  // under the links' lock

}  // namespace

void Network::end_after_loss() {
  constexpr std::uint64_t grace_ns = 2'000'000'000;
  if (first_loss.at_ns == 0 || base::now_ns() - first_loss.at_ns < grace_ns) return;
  fail(Errc::rank_lost, fmt::format("rank {}, on another node, cannot be reached any more by {}",
                                    first_loss.rank, links_.engine().description()));
}

/// The ranks of a process that can be reached no more are dead, for this node.
void Network::lost(int process) {
  for (int r = 0; r < mapping_.ranks(); ++r) {
    space::RankSlot& slot = mapping_.slot(r);
    if (slot.process != process) continue;
    // Life first: who sees the number of deaths grow looks for the dead.
    Life before = slot.life.load(std::memory_order_acquire);
    while (before < Life::finished &&
           !slot.life.compare_exchange_weak(before, Life::dead, std::memory_order_acq_rel)) {
    }
    if (before >= Life::finished) continue;
    mapping_.header().deaths.fetch_add(1, std::memory_order_release);
    if (mapping_.header().on_death == space::OnDeath::end_job && first_loss.at_ns == 0)
      first_loss = {base::now_ns(), r};
  }
  if (also_lost_ != nullptr) also_lost_(process);
  ring_ranks_here(mapping_);
}

space::AddressSpace* Network::space_of(int rank) const {
  for (const auto& space : spaces_)
    if (space->me() == rank) return space.get();
  return nullptr;
}

void Network::flush_held() {
  if (mirrors_.holds()) mirrors_.look_again();
  for (const int process : others_)
    if (Link& link = links_.to(process); link.holds_records()) link.flush();
}

bool Network::poll() {
  service_.polled();
  const Lock locked(links_.lock());
  (void)look();
  flush_held();
  return links_.progress();
}

bool Network::try_poll() {
  service_.polled();
  const std::unique_lock locked(links_.lock(), std::try_to_lock);
  if (!locked.owns_lock()) return false;
  (void)look();
  flush_held();
  return links_.progress();
}

void Network::doorbell(int rank) {
  const RankContext* const me = current_rank();
  if (me == nullptr || mirrors_.looks_soon(me->space.me(), rank)) return;
  const Lock locked(links_.lock());
  mirrors_.look(me->space.me(), rank, false);
}

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

void Network::await_room(int rank, const char* call) {
  constexpr std::size_t queued_max = 64;
  const Link& link = link_to(rank);
  if (link.queued() < queued_max) return;
  WaitFor wait{.what = space::Awaiting::room, .peer = rank, .rings = false, .call = call};
  wait_until(wait, [&] {
    try_poll();
    return link.queued() < queued_max;
  });
}

void Network::tell_life(int rank, Life life) {
  const Lock locked(links_.lock());
  for (const int process : others_) {
    Link& link = links_.to(process);
    link.post(Kind::life, rank, -1, static_cast<std::uint32_t>(life), Link::Ack::none);
    link.flush();
  }
}

/// Nothing is unread when a process has everybody's good-bye, so that its end cuts nobody short.
void Network::say_bye() {
  {
    const Lock locked(links_.lock());
    for (const int process : others_) {
      (void)links_.to(process).append(Kind::bye, -1, -1, 0, Link::Ack::none);
      links_.to(process).flush();
    }
  }
  constexpr std::uint64_t patience_ns = 10'000'000'000;
  const std::uint64_t begun_ns = base::now_ns();
  for (const int process : others_) {
    const Link& link = links_.to(process);
    while ((!link.said_bye() || link.queued() > 0) && !link.is_lost() &&
           base::now_ns() - begun_ns < patience_ns) {
      (void)poll();
      sched_yield();
    }
  }
}

void Network::leave() {
  const std::unique_ptr<Network> leaving(network());
  if (leaving == nullptr) return;
  leaving->say_bye();
  leaving->service_.stop();
  detail::the_network = nullptr;
}

}  // namespace armature::progress
