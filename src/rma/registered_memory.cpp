#include "rma/registered_memory.hpp"

#include <linux/capability.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <map>
#include <set>
#include <span>
#include <utility>
#include <vector>

#include "base/fail.hpp"
#include "base/runtime.hpp"
#include "net/network.hpp"
#include "rma/copied.hpp"
#include "rma/records.hpp"
#include "rma/remote_records.hpp"
#include "space/segment_pages.hpp"
#include "transport/limits.hpp"

namespace armature::rma {

using net::network;
using space::NetworkCounters;
using transport::Arrived;
using transport::Engine;
using transport::Link;

namespace {

/// A chunk of this process that others have asked for.
struct Offered {
  std::span<std::byte> memory;
  std::vector<std::byte> key;  // empty: the engine cannot reach it
  std::set<int> holders;       // processes that have the key
  std::set<int> awaited;       // of these: asked to give it up, without an answer yet
  std::uint64_t asked = 0;     // when it was asked for last, or somebody kept it; a count
  std::uint64_t serial = 0;
};

/// By rank and number. Under the links' lock.
struct OfferedChunks {
  std::map<std::pair<int, std::uint64_t>, Offered> all;
  std::uint64_t questions = 0;
  std::uint64_t serial = 0;  // of the last registration
};
using OfferedPlace = decltype(OfferedChunks::all)::iterator;
OfferedChunks& offered() { return base::state<OfferedChunks>(); }

/// Whether the limit of locked memory does not hold for this process (capabilities(7)).
bool may_lock_all() {
  __user_cap_header_struct of_this{.version = _LINUX_CAPABILITY_VERSION_3, .pid = 0};
  __user_cap_data_struct found[_LINUX_CAPABILITY_U32S_3] = {};
  return syscall(SYS_capget, &of_this, found) == 0 &&
         (found[0].effective & (1U << CAP_IPC_LOCK)) != 0;
}

void tell_limit() {
  RegisteredMemory& all = registered_memory();
  if (std::exchange(all.has_told_limit, true)) return;
  std::fprintf(
      stderr,
      "armature: process of pid %d: the network's hardware reaches %llu bytes of this process's "
      "memory at a time: ulimit -l or ARMATURE_NET_REGISTERED_MAX allows no more. Other transfers "
      "go by records until memory that is used less has made room\n",
      static_cast<int>(getpid()), static_cast<unsigned long long>(all.bytes_max));
}

void end_registration(OfferedPlace place) {
  network()->links().engine().unregister_memory(place->second.memory);
  registered_memory().bytes -= place->second.memory.size();
  NetworkCounters::add(network_counters().evicted);
  offered().all.erase(place);
}

/// All that were asked to give up its key have answered.
void decide(OfferedPlace place) {
  registered_memory().leaving -= place->second.memory.size();
  if (place->second.holders.empty()) return end_registration(place);
  place->second.asked = ++offered().questions;
}

void ask_back(OfferedPlace place) {
  Offered& chunk = place->second;
  registered_memory().leaving += chunk.memory.size();
  chunk.awaited = chunk.holders;
  if (chunk.awaited.empty()) return decide(place);
  const auto [rank, number] = place->first;
  const GiveUpRecord record{.serial = chunk.serial, .chunk = number, .rank = rank, .is_kept = 0};
  // A copy: an engine that finds a process lost as it sends has forget_holder() change the others.
  for (const int process : std::vector<int>(chunk.awaited.begin(), chunk.awaited.end())) {
    Link& link = network()->links().to(process);
    link.post(Kind::give_up, -1, -1, record, Link::Ack::none);
    link.flush();
  }
}

/// Processes that have left the job hold no keys any more, and answer no question.
void forget_who_left() {
  std::set<int> holders;
  for (const auto& [place, chunk] : offered().all)
    holders.insert(chunk.holders.begin(), chunk.holders.end());
  for (const int process : holders)
    if (const Link& link = network()->links().to(process); link.said_bye() || link.is_lost())
      forget_holder(process);
}

/// Whether so many bytes more may be registered now. Sees to it that they may be later on.
bool is_room_for(std::uint64_t bytes) {
  const RegisteredMemory& all = registered_memory();
  const auto fits = [&](std::uint64_t held) {
    return bytes <= all.bytes_max && held <= all.bytes_max - bytes;
  };
  if (fits(all.bytes)) return true;
  forget_who_left();
  if (fits(all.bytes)) return true;
  tell_limit();
  if (bytes > all.bytes_max || fits(all.bytes - all.leaving)) return false;
  auto oldest = offered().all.end();
  for (auto at = offered().all.begin(); at != offered().all.end(); ++at)
    if (!at->second.key.empty() && at->second.awaited.empty() &&
        (oldest == offered().all.end() || at->second.asked < oldest->second.asked))
      oldest = at;
  if (oldest != offered().all.end()) ask_back(oldest);
  return fits(all.bytes);
}

std::vector<std::byte> registered(std::span<std::byte> memory) {
  Engine& engine = network()->links().engine();
  if (engine.pins_memory()) space::keep_pages();
  std::vector<std::byte> key = engine.register_memory(memory);
  if (key.size() > Link::body_bytes_max - sizeof(KeyRecord::request)) {
    engine.unregister_memory(memory);
    key.clear();
  }
  if (key.empty()) return key;
  registered_memory().bytes += memory.size();
  NetworkCounters::add(network_counters().registered);
  return key;
}

std::span<std::byte> memory_of(int rank, std::uint64_t number) {
  const space::Mapping& mapping = network()->mapping();
  const std::uint64_t segment_bytes = mapping.header().layout.segment_bytes;
  if (network()->space_of(rank) == nullptr || number > segment_bytes / chunk_bytes ||
      number * chunk_bytes >= segment_bytes)
    base::fail(Errc::corrupt, "a key of memory that is not there");
  const std::uint64_t begin = number * chunk_bytes;
  return {mapping.segment(rank) + begin, std::min(chunk_bytes, segment_bytes - begin)};
}

/// Returns the chunk's key for that process, or nothing where it has none, or `no_room_now`.
std::span<const std::byte> key_for(int process, int rank, std::uint64_t number) {
  const std::span<std::byte> memory = memory_of(rank, number);
  auto place = offered().all.find({rank, number});
  if (place == offered().all.end()) {
    if (!is_room_for(memory.size())) {
      NetworkCounters::add(network_counters().refused);
      return memory.size() > registered_memory().bytes_max ? std::span<const std::byte>()
                                                           : no_room_now;
    }
    place = offered().all.try_emplace({rank, number}).first;
    place->second.memory = memory;
    place->second.key = registered(memory);
    place->second.serial = ++offered().serial;
  } else if (!place->second.awaited.empty()) {
    NetworkCounters::add(network_counters().refused);
    return no_room_now;
  } else if (!place->second.key.empty()) {
    NetworkCounters::add(network_counters().reused);
  }
  place->second.asked = ++offered().questions;
  if (!place->second.key.empty()) place->second.holders.insert(process);
  return place->second.key;
}

void on_key(const Arrived& arrived) {
  const auto record = arrived.head<KeyRecord>();
  const int rank = arrived.record.to;
  const std::span<const std::byte> key = key_for(arrived.process, rank, record.chunk);
  std::byte* const body = network()
                              ->links()
                              .to(arrived.process)
                              .append(Kind::keyed, rank, arrived.record.from,
                                      sizeof record.request + key.size(), Link::Ack::none);
  std::memcpy(body, &record.request, sizeof record.request);
  if (!key.empty()) std::memcpy(body + sizeof record.request, key.data(), key.size());
}

void on_given_up(const Arrived& arrived) {
  const auto record = arrived.head<GiveUpRecord>();
  const auto place = offered().all.find({record.rank, record.chunk});
  // It is of a registration that has ended, with all others: nobody asks any more.
  if (place == offered().all.end() || place->second.serial != record.serial ||
      place->second.awaited.erase(arrived.process) == 0)
    return;
  if (record.is_kept == 0) place->second.holders.erase(arrived.process);
  if (place->second.awaited.empty()) decide(place);
}

}  // namespace

std::uint64_t registrable(std::uint64_t locked_max) {
  constexpr std::uint64_t part = 8, least = std::uint64_t{1} << 20;
  return locked_max - std::min(locked_max, std::max(locked_max / part, least));
}

/// Registered memory counts as locked, of which each process has so much. The first question comes
/// when there is a network.
RegisteredMemory::RegisteredMemory() : bytes_max(transport::Limits::get().registered_max) {
  if (!network()->links().engine().pins_memory() || may_lock_all()) return;
  rlimit locked{};
  if (getrlimit(RLIMIT_MEMLOCK, &locked) == 0 && locked.rlim_cur != RLIM_INFINITY)
    bytes_max = std::min<std::uint64_t>(bytes_max, registrable(locked.rlim_cur));
}

RegisteredMemory& registered_memory() { return base::state<RegisteredMemory>(); }

const std::array<transport::Handling, 2> registered_memory_handlers{{
    {.kind = transport::number_of(Kind::key), .handler = on_key},
    {.kind = transport::number_of(Kind::given_up), .handler = on_given_up},
}};

void forget_holder(int process) {
  std::vector<std::pair<int, std::uint64_t>> decided;
  for (auto& [number, chunk] : offered().all) {
    chunk.holders.erase(process);
    if (chunk.awaited.erase(process) != 0 && chunk.awaited.empty()) decided.push_back(number);
  }
  for (const auto& number : decided) decide(offered().all.find(number));
}

void end_registrations() {
  offered().all.clear();
  registered_memory().bytes = registered_memory().leaving = 0;
  Engine& engine = network()->links().engine();
  if (engine.is_one_sided()) engine.forget_memory();
}

}  // namespace armature::rma
