#include "net/handshake.hpp"

#include <sched.h>
#include <sys/random.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <span>
#include <vector>

#include <fmt/format.h>

#include "base/clock.hpp"
#include "base/fail.hpp"
#include "net/connect_guard.hpp"
#include "transport/child_sockets.hpp"
#include "wait/connecting.hpp"

namespace armature::net {

using base::fail;
using transport::Link;
using Lock = transport::Links::Lock;

namespace {

/// The keys under which a process publishes its data before it can be reached.
constexpr const char* secret_key = "net.secret";

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

std::string no_answer(int process, const NetworkOptions& options, const transport::Engine& engine,
                      std::uint64_t waited_ns) {
  return fmt::format(
      "{} cannot be reached by {}: no answer within {} s. A firewall may be between, or it is the "
      "wrong interface: ARMATURE_NET_DEVICE names another one, or its subnet",
      name_of(process, options), engine.description(), waited_ns / 1'000'000'000);
}

/// How long a process may take to connect while its partners expect signs of life of it.
std::uint64_t patience_amid(const NetworkOptions& options) {
  return options.heartbeat_ns == 0 ? options.connect_ns
                                   : std::min(options.connect_ns, options.heartbeat_ns / 2);
}

}  // namespace

std::uint64_t agree_on_secret(bootstrap::Exchange& exchange) {
  if (exchange.process() == 0) {
    const std::uint64_t secret = make_secret();
    exchange.put(secret_key, std::as_bytes(std::span(&secret, 1)));
  }
  exchange.fence();
  return secret_of_job(exchange);
}

std::uint64_t secret_of_job(bootstrap::Exchange& exchange) {
  const std::vector<std::byte> told = exchange.get(0, secret_key);
  std::uint64_t secret = 0;
  if (told.size() != sizeof secret) fail(Errc::start, "the job's secret makes no sense");
  std::memcpy(&secret, told.data(), sizeof secret);
  return secret;
}

/// Ranks wait for something else where they are quiescent while a process comes.
void Handshake::tell_connecting_to(int rank) const {
  if (rank < 0) return;
  for (const space::AddressSpace* space : map_.spaces())
    wait::tell_connecting(space->slot(space->me()), rank);
}

void Handshake::meet(std::span<const int> others, const NetworkOptions& options) {
  require_same_services(others, options);
  connect(others, options);
  await_greetings(others, options);
  const Lock locked(links_.lock());
  transport::keep_sockets_from_children(links_.engine().descriptor());
}

void Handshake::connect_to(int process, const NetworkOptions& options) {
  try {
    require_same_services({&process, 1}, options);
    ConnectGuard guard = guard_of(options, patience_amid(options));
    guard.watch(process);
    links_.connect(process, book_.address_of(process), name_of(process, options));
  } catch (const Error& error) {
    links_.give_up(process, error.what());
  }
}

void Handshake::connect(std::span<const int> others, const NetworkOptions& options) {
  const Lock locked(links_.lock());
  ConnectGuard guard = guard_of(options, options.connect_ns);
  for (const int process : others) {
    guard.watch(process);
    tell_connecting_to(peers_.first_rank_of(process));
    links_.connect(process, book_.address_of(process), name_of(process, options));
  }
  for (const int process : others) {
    (void)links_.to(process).append(transport::Kind::hello, -1, -1, 0, Link::Ack::none);
    links_.to(process).flush();
  }
}

ConnectGuard Handshake::guard_of(const NetworkOptions& options, std::uint64_t patience_ns) const {
  return ConnectGuard(patience_ns, [this, &options, patience_ns](int process) {
    if (options.end_job != nullptr)
      options.end_job(-1, no_answer(process, options, links_.engine(), patience_ns).c_str());
  });
}

/// Records name services by their places in the list.
void Handshake::require_same_services(std::span<const int> others, const NetworkOptions& options) {
  const std::uint64_t mine = links_.services().hash();
  for (const int process : others) {
    if (book_.services_of(process) == mine) continue;
    std::string names;
    for (const transport::Service* const one : links_.services().all())
      names += (names.empty() ? "" : ", ") + std::string(one->name);
    fail(Errc::start, fmt::format("{} has other services than this process, which has {}: all "
                                  "processes must run the same build of the library",
                                  name_of(process, options), names));
  }
}

void Handshake::await_words(std::span<const int> others, const NetworkOptions& options) {
  const std::uint64_t begun_ns = base::now_ns();
  const auto has_spoken = [&](int process) {
    const Lock locked(links_.lock());
    return links_.has_heard_of(process);
  };
  for (const int process : others)
    while (!has_spoken(process)) {
      poll_();
      sched_yield();
      if (base::now_ns() - begun_ns > options.connect_ns)
        fail(Errc::start, no_answer(process, options, links_.engine(), options.connect_ns));
    }
}

/// Waits for the greetings of these processes. A process that has heard everybody gives up silent
/// ones, also one that is still waiting here.
void Handshake::await_greetings(std::span<const int> others, const NetworkOptions& options) {
  const std::uint64_t begun_ns = base::now_ns();
  const std::uint64_t beat_every_ns = options.serves ? options.heartbeat_ns / 4 : 0;
  std::uint64_t beat_ns = begun_ns;
  for (const int process : others) {
    const Link& link = links_.to(process);
    if (!link.said_hello()) tell_connecting_to(peers_.first_rank_of(process));
    while (!link.said_hello()) {
      poll_();
      sched_yield();
      const std::uint64_t now_ns = base::now_ns();
      if (beat_every_ns != 0 && now_ns - beat_ns >= beat_every_ns) {
        beat_ns = now_ns;
        const Lock locked(links_.lock());
        peers_.tell_partners(transport::Kind::none);
      }
      if (!link.is_lost() && now_ns - begun_ns < options.connect_ns) continue;
      fail(Errc::start, link.is_lost()
                            ? fmt::format("{} cannot be reached by {}: the connection was refused "
                                          "or broke",
                                          name_of(process, options), links_.engine().description())
                            : no_answer(process, options, links_.engine(), options.connect_ns));
    }
  }
}

}  // namespace armature::net
