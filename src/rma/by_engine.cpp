// Transfers by the engine's own put and get. The target registers its memory in chunks, when it is
// first asked for one; both sides remember. A chunk stays registered: where the network's hardware
// holds it in place, the heap keeps its pages (space::keep_pages).
//
// Such a transfer does not travel with the records, so it must neither overtake those before it nor
// be overtaken: it begins when all of them are acknowledged, and a call returns when its bytes are
// where they belong.
#include "rma/by_engine.hpp"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

#include "base/fail.hpp"
#include "base/runtime.hpp"
#include "rma/pending_requests.hpp"
#include "rma/protocol.hpp"
#include "rma/remote.hpp"
#include "rma/remote_records.hpp"
#include "space/segment_pages.hpp"
#include "wait/notifier.hpp"
#include "wait/outstanding.hpp"
#include "wait/wait.hpp"

namespace armature::rma {

using net::network;
using transport::Arrived;
using transport::Engine;
using transport::Link;
using Lock = transport::Links::Lock;

namespace {

constexpr std::uint64_t chunk_bytes = std::uint64_t{16} << 20;
/// Chunks of a long transfer that the engine has at a time.
constexpr std::size_t under_way_max = 4;

std::uint64_t chunk_of(const Network& net, Rank rank, std::uint64_t address) {
  const auto segment = reinterpret_cast<std::uint64_t>(net.mapping().segment(rank));
  return (address - segment) / chunk_bytes;
}

/// The part of a transfer that lies in one chunk.
std::size_t part_of(const Network& net, Rank rank, std::uint64_t address, std::size_t bytes) {
  const auto segment = reinterpret_cast<std::uint64_t>(net.mapping().segment(rank));
  return std::min<std::uint64_t>(bytes, chunk_bytes - (address - segment) % chunk_bytes);
}

// -- keys -----------------------------------------------------------------------------------------

/// Keys of chunks, by rank and number. Under the links' lock.
struct Keys {
  template <class Key>
  using OfChunks = std::map<std::pair<int, std::uint64_t>, Key>;

  OfChunks<void*> known;  // of other ranks', as the engine has unpacked them; nullptr: out of reach
  OfChunks<std::vector<std::byte>> packed;
};
Keys& keys() { return base::state<Keys>(); }

class PendingKey final : public PendingRequest {
 public:
  using PendingRequest::PendingRequest;
  ~PendingKey() override { retire(); }
  std::vector<std::byte> packed;

 private:
  bool take(const Arrived& answer) override {
    const auto rest = answer.rest(sizeof(std::uint64_t));
    packed.assign(rest.begin(), rest.end());
    return true;
  }
};

std::optional<void*> known_key(Network& net, Rank rank, std::uint64_t chunk) {
  const Lock locked(net.links().lock());
  const auto found = keys().known.find({rank, chunk});
  return found == keys().known.end() ? std::nullopt : std::optional(found->second);
}

void* key_of(Network& net, Rank rank, std::uint64_t chunk, const char* call) {
  if (const auto known = known_key(net, rank, chunk)) return *known;
  PendingKey keyed(rank);
  const KeyRecord record{keyed.number(), chunk};
  ask(net, rank, Kind::key, std::as_bytes(std::span(&record, 1)));
  keyed.wait(call);
  const Lock locked(net.links().lock());
  void* const key =
      net.links().engine().unpack_rkey(net.mapping().slot(rank).process, keyed.packed);
  // Another rank of this process may have asked, too: both keys are good.
  return keys().known.emplace(std::pair(static_cast<int>(rank), chunk), key).first->second;
}

/// All that a transfer touches, before any of it begins.
bool has_keys(Network& net, Rank rank, std::uint64_t address, std::size_t bytes, const char* call) {
  for (std::uint64_t chunk = chunk_of(net, rank, address);
       chunk <= chunk_of(net, rank, address + bytes - 1); ++chunk)
    if (key_of(net, rank, chunk, call) == nullptr) return false;
  return true;
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
  Engine& engine = network()->links().engine();
  if (is_new) {
    if (engine.pins_memory()) space::keep_pages();
    const std::uint64_t begin = record.chunk * chunk_bytes;
    place->second = engine.register_memory(
        {mapping.segment(rank) + begin, std::min(chunk_bytes, segment_bytes - begin)});
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

// -- transfers ------------------------------------------------------------------------------------

/// The state of a transfer that the engine carries out.
class UnderWay : public transport::Sending {
 public:
  UnderWay() {
    sent = [](Sending& me) {
      auto& transfer = static_cast<UnderWay&>(me);
      const int rank = transfer.sender_;
      if (transfer.parts() == 1) transfer.charge_.end();
      // Release: who sees that it is done sees the bytes. It may be gone then.
      transfer.parts_.fetch_sub(1, std::memory_order_release);
      if (rank >= 0) wait::notify(network()->mapping().slot(rank));
    };
  }
  UnderWay(const UnderWay&) = delete;
  UnderWay& operator=(const UnderWay&) = delete;

  /// Under the links' lock.
  [[nodiscard]] std::uint64_t begin() {
    parts_.fetch_add(1, std::memory_order_relaxed);
    return reinterpret_cast<std::uint64_t>(static_cast<Sending*>(this));
  }
  /// It counts as an operation of so many bytes until it is over. Before it begins.
  void count(std::size_t bytes) { charge_.begin(bytes); }
  [[nodiscard]] std::size_t parts() const { return parts_.load(std::memory_order_acquire); }

 private:
  const int sender_ = sender();  // who may sleep until it is over
  wait::Charge charge_;
  std::atomic<std::size_t> parts_ = 0;
};

/// Blocks until there are no more parts than that.
void await(Network& net, const UnderWay& transfer, std::size_t parts, const char* call) {
  if (transfer.parts() <= parts) return;
  wait::WaitFor wait{.what = space::Awaiting::completion, .is_notified = false, .call = call};
  wait::wait_until(wait, [&] {
    (void)net.try_poll();
    return transfer.parts() <= parts;
  });
}

enum class Way { put, get };

/// One part, within a chunk.
void start(Network& net, Rank rank, Way way, std::uint64_t there, std::span<std::byte> here,
           UnderWay& transfer) {
  const Lock locked(net.links().lock());
  Engine& engine = net.links().engine();
  const int process = net.mapping().slot(rank).process;
  void* const key = keys().known.at({rank, chunk_of(net, rank, there)});
  if (way == Way::put)
    engine.put(process, key, there, here, transfer.begin());
  else
    engine.get(process, key, there, here, transfer.begin());
}

bool transfer_now(Network& net, Rank rank, Way way, std::uint64_t there, std::span<std::byte> here,
                  const char* call) {
  if (!has_keys(net, rank, there, here.size(), call)) return false;
  net.flush().to(rank, call);
  UnderWay transfer;
  for (std::size_t at = 0; at < here.size();) {
    const std::size_t part = part_of(net, rank, there + at, here.size() - at);
    await(net, transfer, under_way_max - 1, call);
    start(net, rank, way, there + at, here.subspan(at, part), transfer);
    at += part;
  }
  await(net, transfer, 0, call);
  net.peers().require_reachable(rank, call);
  return true;
}

/// A transfer behind a handle.
struct LaterTransfer final : detail::Request, UnderWay {
  LaterTransfer(Rank other, Way is) : rank(other), way(is) {
    is_complete = [](Request& request) {
      return static_cast<LaterTransfer&>(request).parts() == 0;
    };
    check = [](Request& request) {
      const auto& transfer = static_cast<LaterTransfer&>(request);
      network()->peers().require_reachable(transfer.rank, transfer.way == Way::put ? "put" : "get");
    };
    release = [](Request& request) { delete &static_cast<LaterTransfer&>(request); };
  }
  Rank rank;
  Way way;
};

detail::Request* transfer_later(Network& net, Rank rank, Way way, std::uint64_t there,
                                std::span<std::byte> here, const char* call) {
  if (!has_keys(net, rank, there, here.size(), call)) return nullptr;
  wait::make_room_for_operation(here.size(), call);
  net.flush().to(rank, call);
  auto transfer = std::make_unique<LaterTransfer>(rank, way);
  transfer->count(here.size());
  for (std::size_t at = 0; at < here.size();) {
    const std::size_t part = part_of(net, rank, there + at, here.size() - at);
    start(net, rank, way, there + at, here.subspan(at, part), *transfer);
    at += part;
  }
  net.thread().leave_to_thread();
  return transfer.release();
}

/// The engine reads from there only.
std::span<std::byte> source(const void* from, std::size_t bytes) {
  return {static_cast<std::byte*>(const_cast<void*>(from)), bytes};
}

/// Begins an operation by the engine. If the target cannot let the engine reach that memory, the
/// operation goes by the zero-copy protocol.
detail::Request* start_engine(const Operation& what, Finish finish) {
  Network& net = *net::network();
  const bool is_put = what.verb == Verb::put;
  const Way way = is_put ? Way::put : Way::get;
  const auto there = reinterpret_cast<std::uint64_t>(is_put ? what.to : what.from);
  const auto here = is_put ? source(what.from, what.bytes())
                           : std::span(static_cast<std::byte*>(what.to), what.bytes());
  if (finish == Finish::now) {
    if (transfer_now(net, what.rank, way, there, here, what.call())) return nullptr;
  } else if (auto* const request = transfer_later(net, what.rank, way, there, here, what.call())) {
    return request;
  }
  return zero_copy.start(what, finish);
}

}  // namespace

const Protocol engine{.name = "engine", .start = start_engine, .start_atomic = nullptr};

const std::array<transport::Handling, 1> key_handlers{{
    {.kind = transport::number_of(Kind::key), .handler = on_key},
}};

}  // namespace armature::rma
