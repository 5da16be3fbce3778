#include "net/network.hpp"

#include <sched.h>
#include <sys/random.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <cstring>
#include <utility>

#include <fmt/format.h>

#include "base/clock.hpp"
#include "base/fail.hpp"
#include "base/runtime.hpp"
#include "net/connect_guard.hpp"
#include "net/records.hpp"
#include "wait/bell.hpp"
#include "wait/connecting.hpp"
#include "wait/processes.hpp"
#include "wait/rank_context.hpp"

namespace armature::net {

using base::fail;
using space::Life;
using transport::Arrived;
using transport::Link;
using transport::Links;
using Lock = transport::Links::Lock;

namespace {

/// What a process tells of itself before it can be reached.
constexpr const char* secret_key = "net.secret";
constexpr const char* address_key = "net.address";
constexpr const char* services_key = "net.services";

std::uint64_t make_secret() {
  std::uint64_t secret = 0;
  while (secret == 0)
    if (getrandom(&secret, sizeof secret, 0) != sizeof secret)
      fail(Errc::start, fmt::format("no random numbers: {}", base::system_text(errno)));
  return secret;
}

std::string name_of(int process, const NetworkOptions& options) {
  return options.name_peer ? options.name_peer(process)
                           : fmt::format("process {} of the job", process);
}

std::string no_answer(int process, const NetworkOptions& options, const transport::Engine& engine) {
  return fmt::format(
      "{} cannot be reached by {}: no answer within {} s. A firewall may be between, or it is the "
      "wrong interface: ARMATURE_NET_DEVICE names another one, or its subnet",
      name_of(process, options), engine.description(), options.connect_ns / 1'000'000'000);
}

/// Of virtual ranks there may be very many: a process finds out by itself whom it concerns.
void ring_ranks_here(const space::Mapping& mapping) {
  if (mapping.header().ranks_are_virtual != 0) {
    for (int p = 0; p < static_cast<int>(mapping.header().processes); ++p)
      wait::wake(mapping.process_slot(p));
    return;
  }
  for (int r = 0; r < mapping.ranks(); ++r)
    if (mapping.is_here(r)) wait::detail::wake(mapping.slot(r));
}

void tell_connecting_to(int rank, const Network::Spaces& spaces) {
  for (const space::AddressSpace* space : spaces)
    wait::tell_connecting(space->slot(space->me()), rank);
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
  if (told == Life::finished) mapping.header().left.fetch_add(1, std::memory_order_release);
  ring_ranks_here(mapping);
}

void on_ring(const Arrived& arrived) { network()->mirrors().on_ring(arrived); }
void on_room(const Arrived& arrived) { network()->mirrors().on_room(arrived); }
void on_notify(const Arrived& arrived) { network()->mirrors().on_notify(arrived); }

constexpr std::array<transport::Handling, 4> handlers{{
    {.kind = transport::number_of(Kind::life), .handler = on_life},
    {.kind = transport::number_of(Kind::ring), .handler = on_ring, .is_of_rank = true},
    {.kind = transport::number_of(Kind::room), .handler = on_room, .is_of_rank = true},
    {.kind = transport::number_of(Kind::notify), .handler = on_notify, .is_of_rank = true},
}};

}  // namespace

const transport::Service service{.name = "net",
                                 .records_count = static_cast<std::uint8_t>(Kind::count),
                                 .handlers = {handlers},
                                 .reset = [] { network()->mirrors().forget_all(); }};

Network::Network(const space::Mapping& mapping, Spaces spaces, const Links::Options& options)
    : map_(mapping, std::move(spaces)),
      links_(options),
      mirrors_(links_, map_),
      first_ranks_(static_cast<std::size_t>(options.processes)) {
  for (int r = 0; r < mapping.ranks(); ++r) {
    const int process = mapping.slot(r).process;
    if (mapping.slot(r).index == 0) first_ranks_[static_cast<std::size_t>(process)] = r;
    if (!mapping.is_here(r) && (others_.empty() || others_.back() != process))
      others_.push_back(process);
  }
  for (const transport::Service* const one : links_.services())
    if (one->poll != nullptr) polls_.push_back(one->poll);
  links_.on_idle = [](Link& link) { network()->mirrors_.look_again(link); };
  links_.on_streamed = [](Link& link) { network()->mirrors_.streams_went_on(link); };
  links_.on_lost = [](Link& link, const char* why) {
    if (!link.said_bye()) network()->lost(link.process(), why);
  };
}

namespace {

/// At the same address in all processes: a rank that moves may be about to use it.
struct Place {
  alignas(Network) std::byte bytes[sizeof(Network)] = {};
};
constinit Place of_process_itself;

void* place_of_runtime() {
  return (base::Runtime::is_of_process() ? of_process_itself : base::state<Place>()).bytes;
}

}  // namespace

void Network::join(const space::Mapping& mapping, Spaces spaces, bootstrap::Exchange& exchange,
                   const NetworkOptions& options) {
  if (exchange.process() == 0) {
    const std::uint64_t secret = make_secret();
    exchange.put(secret_key, std::as_bytes(std::span(&secret, 1)));
  }
  exchange.fence();
  const std::vector<std::byte> told = exchange.get(0, secret_key);
  Links::Options links{exchange.process(), exchange.processes(), 0,
                       options.engine,     options.open,         {&service}};
  links.services.insert(links.services.end(), options.services.begin(), options.services.end());
  if (told.size() != sizeof links.secret) fail(Errc::start, "the job's secret makes no sense");
  std::memcpy(&links.secret, told.data(), sizeof links.secret);
  if (options.find_device) links.engine.device = options.find_device(exchange);
  wait::set_poller(new (place_of_runtime()) Network(mapping, std::move(spaces), links));
  network()->say_lost_ = options.say_lost;
  network()->end_job_ = options.end_job;
  network()->connect(exchange, options);
}

void Network::connect(bootstrap::Exchange& exchange, const NetworkOptions& options) {
  exchange.put(address_key, links_.engine().address());
  const std::uint64_t services = links_.hash_of_services();
  exchange.put(services_key, std::as_bytes(std::span(&services, 1)));
  exchange.fence();
  require_same_services(exchange, options);
  {
    const Lock locked(links_.lock());
    ConnectGuard guard(options.connect_ns, [&](int process) {
      if (end_job_ != nullptr) end_job_(-1, no_answer(process, options, links_.engine()).c_str());
    });
    for (const int process : others_) {
      guard.watch(process);
      tell_connecting_to(first_rank_of(process), spaces());
      links_.connect(process, exchange.get(process, address_key), name_of(process, options));
    }
    tell_all(transport::Kind::hello);
  }
  await_greetings(options);
  {
    const Lock locked(links_.lock());
    links_.engine().keep_from_children();
  }
  if (options.serves) service_.start(options.heartbeat_ns);
}

/// Records name services by their places in the list.
void Network::require_same_services(bootstrap::Exchange& exchange, const NetworkOptions& options) {
  const std::uint64_t mine = links_.hash_of_services();
  for (const int process : others_) {
    const std::vector<std::byte> told = exchange.get(process, services_key);
    std::uint64_t theirs = 0;
    if (told.size() == sizeof theirs) std::memcpy(&theirs, told.data(), sizeof theirs);
    if (theirs == mine) continue;
    std::string names;
    for (const transport::Service* const one : links_.services())
      names += (names.empty() ? "" : ", ") + std::string(one->name);
    fail(Errc::start, fmt::format("{} has other services than this process, which has {}: all "
                                  "processes must run the same build of the library",
                                  name_of(process, options), names));
  }
}

/// Whoever has heard everybody gives up who is silent, also one that is still waiting here.
void Network::await_greetings(const NetworkOptions& options) {
  const std::uint64_t begun_ns = base::now_ns();
  const std::uint64_t beat_every_ns = options.serves ? options.heartbeat_ns / 4 : 0;
  std::uint64_t beat_ns = begun_ns;
  for (const int process : others_) {
    const Link& link = links_.to(process);
    if (!link.said_hello()) tell_connecting_to(first_rank_of(process), spaces());
    while (!link.said_hello()) {
      (void)poll();
      sched_yield();
      const std::uint64_t now_ns = base::now_ns();
      if (beat_every_ns != 0 && now_ns - beat_ns >= beat_every_ns) {
        beat_ns = now_ns;
        const Lock locked(links_.lock());
        tell_all(transport::Kind::none);
      }
      if (!link.is_lost() && now_ns - begun_ns < options.connect_ns) continue;
      fail(Errc::start, link.is_lost()
                            ? fmt::format("{} cannot be reached by {}: the connection was refused "
                                          "or broke",
                                          name_of(process, options), links_.engine().description())
                            : no_answer(process, options, links_.engine()));
    }
  }
}

/// Where a job ends with its first dead rank, its launcher ends it. When that does not happen, the
/// rank is not dead for the launcher: its node hangs, or a link is down. Then we end it.
void Network::end_after_loss() {
  constexpr std::uint64_t grace_ns = 2'000'000'000;
  if (first_loss_.at_ns == 0 || base::now_ns() - first_loss_.at_ns < grace_ns) return;
  if (end_job_ != nullptr) end_job_(first_loss_.process, first_loss_.why.c_str());
}

/// Who was stopped for longer than the heartbeat, or knows that others are without it, must not
/// take these for lost when it finds that they have closed their links.
void Network::end_if_given_up() {
  const space::ProcessSlot& self = mapping().process_slot(links_.process());
  if (wait::recovers_on_nodes(mapping().header()) &&
      (wait::is_lost(self) || service_.was_stopped()))
    kill(getpid(), SIGKILL);
}

/// The ranks of a process that can be reached no more are dead, for this node.
void Network::lost(int process, const char* why) {
  // They are not dead, but go on elsewhere.
  if (wait::recovers_on_nodes(mapping().header())) {
    if (!wait::is_lost(mapping().process_slot(process))) end_if_given_up();
    return wait::lose_process({reinterpret_cast<std::byte*>(&mapping().header())}, process);
  }
  bool is_news = false;  // on this node
  for (int r = 0; r < mapping().ranks(); ++r) {
    space::RankSlot& slot = mapping().slot(r);
    if (slot.process != process) continue;
    // Life first: who sees the number of deaths grow looks for the dead.
    Life before = slot.life.load(std::memory_order_acquire);
    while (before < Life::finished &&
           !slot.life.compare_exchange_weak(before, Life::dead, std::memory_order_acq_rel)) {
    }
    if (before >= Life::finished) continue;
    is_news = true;
    mapping().header().far_deaths.fetch_add(1, std::memory_order_release);
    mapping().header().deaths.fetch_add(1, std::memory_order_release);
    if (goes_on() || first_loss_.at_ns != 0) continue;
    first_loss_.process = process;
    first_loss_.why = why;
    first_loss_.at_ns = base::now_ns();
  }
  for (const transport::Service* const one : links_.services())
    if (one->peer_failed != nullptr) one->peer_failed(process);
  if (is_news && say_lost_ != nullptr) say_lost_(process, why);
  ring_ranks_here(mapping());
}

void Network::host(Spaces spaces) {
  const Lock locked(links_.lock());
  map_.host(std::move(spaces));
  mirrors_.begin_anew();
}

void Network::close() {
  const Lock locked(links_.lock());
  (void)look();
  mirrors_.close_images();
}

bool Network::has_settled(int rank) {
  const Lock locked(links_.lock());
  mirrors_.look_again(rank);
  bool all = !mirrors_.holds_back(rank);
  for (const int process : others_) all = links_.to(process).settles(rank) && all;
  return all;
}

bool Network::is_quiet() {
  flush_held();
  for (const transport::Service* const one : links_.services())
    if (one->quiesce != nullptr && !one->quiesce()) return false;
  return std::all_of(others_.begin(), others_.end(), [&](int process) {
    const Link& link = links_.to(process);
    return link.is_lost() ||
           (link.is_idle() && !link.holds_records() && !link.has_streams() && link.queued() == 0);
  });
}

void Network::forget_ranks() {
  links_.forget_streams_of_ranks();
  for (const transport::Service* const one : links_.services())
    if (one->reset != nullptr) one->reset();
}

void Network::flush_held() {
  if (mirrors_.holds()) mirrors_.look_again();
  links_.flush_all();
}

bool Network::look() {
  bool soon = false;
  for (bool (*const look_for)() : polls_) soon = look_for() || soon;
  return soon;
}

bool Network::poll() {
  service_.polled();
  const Lock locked(links_.lock());
  service_.found_more(look());
  flush_held();
  return links_.progress();
}

bool Network::try_poll() {
  service_.polled();
  const std::unique_lock locked(links_.lock(), std::try_to_lock);
  if (!locked.owns_lock()) return false;
  service_.found_more(look());
  flush_held();
  return links_.progress();
}

void Network::doorbell(int rank) {
  const wait::RankContext* const me = wait::current_rank();
  if (me == nullptr || mirrors_.looks_soon(me->space.me(), rank)) return;
  const Lock locked(links_.lock());
  mirrors_.look(me->space.me(), rank, false);
}

void Network::tell_life(int rank, Life life) {
  const Lock locked(links_.lock());
  for (const int process : others_) {
    Link& link = links_.to(process);
    link.post(Kind::life, rank, -1, static_cast<std::uint32_t>(life), Link::Ack::none);
    link.flush();
  }
}

/// Under the links' lock.
void Network::tell_all(transport::Kind kind) {
  for (const int process : others_) {
    (void)links_.to(process).append(kind, -1, -1, 0, Link::Ack::none);
    links_.to(process).flush();
  }
}

/// Nothing is unread when a process has everybody's good-bye, so that its end cuts nobody short.
void Network::say_bye() {
  {
    const Lock locked(links_.lock());
    tell_all(transport::Kind::bye);
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
  Network* const leaving = network();
  if (leaving == nullptr) return;
  leaving->say_bye();
  leaving->service_.stop();
  leaving->~Network();
  wait::set_poller(nullptr);
}

}  // namespace armature::net
