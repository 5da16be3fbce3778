#include "rma/engine_transfer.hpp"

#include <linux/capability.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "base/fail.hpp"
#include "base/runtime.hpp"
#include "rma/pending_requests.hpp"
#include "rma/remote_records.hpp"
#include "space/segment_pages.hpp"
#include "wait/notifier.hpp"
#include "wait/wait.hpp"

namespace armature::rma {

using net::network;
using transport::Arrived;
using transport::Engine;
using transport::Link;
using Lock = transport::Links::Lock;

namespace {

constexpr std::uint64_t chunk_bytes = std::uint64_t{16} << 20;

std::uint64_t offset_of(const Network& net, Rank rank, std::uint64_t address) {
  return address - reinterpret_cast<std::uint64_t>(net.mapping().segment(rank));
}

/// Keys of chunks, by rank and number. Under the links' lock.
struct Keys {
  template <class Key>
  using OfChunks = std::map<std::pair<int, std::uint64_t>, Key>;

  OfChunks<EngineKey> known;  // of other ranks'
  OfChunks<std::vector<std::byte>> packed;
};
Keys& keys() { return base::state<Keys>(); }

/// A key that was asked for. It is unpacked where the answer comes: the rank that has asked may be
/// in another process when it goes on, which asks again.
class PendingKey final : public PendingRequest {
 public:
  PendingKey(Rank rank, std::uint64_t chunk) : PendingRequest(rank), chunk_(chunk) {}
  ~PendingKey() override { retire(); }

 private:
  bool take(const Arrived& answer) override {
    void* const rkey =
        network()->links().engine().unpack_rkey(answer.process, answer.rest(sizeof(std::uint64_t)));
    // Another rank of this process may have asked, too: both keys are good.
    keys().known.emplace(std::pair(static_cast<int>(rank()), chunk_),
                         EngineKey{rkey, answer.process});
    return true;
  }
  const std::uint64_t chunk_;
};

std::optional<EngineKey> known_key(Network& net, Rank rank, std::uint64_t chunk) {
  const Lock locked(net.links().lock());
  const auto found = keys().known.find({rank, chunk});
  return found == keys().known.end() ? std::nullopt : std::optional(found->second);
}

/// Whether the limit of locked memory does not hold for this process (capabilities(7)).
bool may_lock_all() {
  __user_cap_header_struct of_this{.version = _LINUX_CAPABILITY_VERSION_3, .pid = 0};
  __user_cap_data_struct found[_LINUX_CAPABILITY_U32S_3] = {};
  return syscall(SYS_capget, &of_this, found) == 0 &&
         (found[0].effective & (1U << CAP_IPC_LOCK)) != 0;
}

/// Whether so many bytes more may be registered. Tells of the first that may not.
bool may_register(std::uint64_t bytes) {
  RegisteredMemory& all = registered_memory();
  if (bytes <= all.bytes_max && all.bytes <= all.bytes_max - bytes) return true;
  if (all.refused++ == 0)
    std::fprintf(
        stderr,
        "armature: process of pid %d: the network's hardware reaches %llu bytes of this process's "
        "memory, and no more: ulimit -l allows %llu. Other transfers go by records\n",
        static_cast<int>(getpid()), static_cast<unsigned long long>(all.bytes),
        static_cast<unsigned long long>(all.bytes_max));
  return false;
}

/// Returns the key of newly registered memory, packed; nothing where it cannot be registered.
std::vector<std::byte> registered(std::span<std::byte> memory) {
  if (!may_register(memory.size())) return {};
  Engine& engine = network()->links().engine();
  if (engine.pins_memory()) space::keep_pages();
  std::vector<std::byte> key = engine.register_memory(memory);
  if (key.empty()) return key;
  registered_memory().bytes += memory.size();
  ++registered_memory().registered;
  return key;
}

void on_key(const Arrived& arrived) {
  const auto record = arrived.head<KeyRecord>();
  const int rank = arrived.record.to;
  const space::Mapping& mapping = network()->mapping();
  const std::uint64_t segment_bytes = mapping.header().layout.segment_bytes;
  if (network()->space_of(rank) == nullptr || record.chunk > segment_bytes / chunk_bytes ||
      record.chunk * chunk_bytes >= segment_bytes)
    base::fail(Errc::corrupt, "a key of memory that is not there");
  auto [place, is_new] = keys().packed.try_emplace({rank, record.chunk});
  if (is_new) {
    const std::uint64_t begin = record.chunk * chunk_bytes;
    place->second =
        registered({mapping.segment(rank) + begin, std::min(chunk_bytes, segment_bytes - begin)});
  } else if (!place->second.empty()) {
    ++registered_memory().reused;
  }
  std::vector<std::byte>& key = place->second;
  if (key.size() > Link::body_bytes_max - sizeof record.request) key.clear();
  std::byte* const body = network()
                              ->links()
                              .to(arrived.process)
                              .append(Kind::keyed, rank, arrived.record.from,
                                      sizeof record.request + key.size(), Link::Ack::none);
  std::memcpy(body, &record.request, sizeof record.request);
  if (!key.empty()) std::memcpy(body + sizeof record.request, key.data(), key.size());
}

}  // namespace

/// Registered memory counts as locked, of which each process has so much. The first question comes
/// when there is a network.
RegisteredMemory::RegisteredMemory() : bytes_max(UINT64_MAX) {
  if (!network()->links().engine().pins_memory() || may_lock_all()) return;
  rlimit locked{};
  if (getrlimit(RLIMIT_MEMLOCK, &locked) == 0 && locked.rlim_cur != RLIM_INFINITY)
    bytes_max = locked.rlim_cur;
}

RegisteredMemory& registered_memory() { return base::state<RegisteredMemory>(); }

const std::array<transport::Handling, 1> key_handlers{{
    {.kind = transport::number_of(Kind::key), .handler = on_key},
}};

EngineKey key_of(Network& net, Rank rank, std::uint64_t address, const char* call) {
  const std::uint64_t chunk = offset_of(net, rank, address) / chunk_bytes;
  for (;;) {
    if (const auto known = known_key(net, rank, chunk)) return *known;
    PendingKey keyed(rank, chunk);
    const KeyRecord record{keyed.number(), chunk};
    ask(net, rank, Kind::key, std::as_bytes(std::span(&record, 1)));
    keyed.wait(call);
  }
}

std::size_t part_in_chunk(const Network& net, Rank rank, std::uint64_t address, std::size_t bytes) {
  return std::min<std::uint64_t>(bytes, chunk_bytes - offset_of(net, rank, address) % chunk_bytes);
}

UnderWay::UnderWay() {
  sent = [](Sending& me) {
    auto& transfer = static_cast<UnderWay&>(me);
    const int rank = transfer.sender_;
    if (transfer.parts() == 1) {
      transfer.charge_.end();
      network()->engine_parts().end(transfer.number_);
    }
    // Release: who sees that it is done sees the bytes. It may be gone then.
    transfer.parts_.fetch_sub(1, std::memory_order_release);
    if (rank >= 0) wait::notify(network()->mapping().slot(rank));
  };
}

/// A transfer counts in the process that is told of its end. Its rank may go to another process
/// while it waits for a key, so counting begins behind that.
std::uint64_t UnderWay::begin() {
  if (parts_.fetch_add(1, std::memory_order_relaxed) == 0) {
    number_ = network()->engine_parts().begin(sender_);
    if (bytes_ != 0) charge_.begin(bytes_);
  }
  return reinterpret_cast<std::uint64_t>(static_cast<Sending*>(this));
}

void UnderWay::await(Network& net, std::size_t parts_max, const char* call) const {
  if (parts() <= parts_max) return;
  wait::WaitFor wait{.what = space::Awaiting::completion, .is_notified = false, .call = call};
  wait::wait_until(wait, [&] {
    if (parts() > parts_max) (void)net.try_poll();
    return parts() <= parts_max;
  });
}

/// Ranks that roll back have begun transfers that may still write to their memory. What comes by
/// records meanwhile is void, as all that they have sent is.
void forget_keys() {
  transport::Links& links = network()->links();
  const net::EngineParts& parts = network()->engine_parts();
  if (parts.any()) links.ignore_all();
  while (parts.any()) (void)links.engine().progress();
  keys().known.clear();
}

void end_registrations() {
  keys().packed.clear();
  registered_memory().bytes = 0;
  Engine& engine = network()->links().engine();
  if (engine.is_one_sided()) engine.forget_memory();
}

}  // namespace armature::rma
