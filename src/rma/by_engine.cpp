// Transfers by the engine's own put and get.
//
// Such a transfer does not travel with the records, so it must neither overtake those before it nor
// be overtaken: it begins when all of them are acknowledged, and a call returns when its bytes are
// where they belong.
#include <algorithm>
#include <memory>
#include <mutex>

#include "rma/engine_transfer.hpp"
#include "rma/protocol.hpp"
#include "rma/remote.hpp"

namespace armature::rma {

using transport::Engine;

namespace {

/// Chunks of a long transfer that the engine has at a time.
constexpr std::size_t under_way_max = 4;

/// Whether the engine reaches all that a transfer touches, before any of it begins.
bool is_reached(Network& net, Rank rank, std::uint64_t address, std::size_t bytes,
                const char* call) {
  for (std::uint64_t at = address; at < address + bytes;) {
    if (key_of(net, rank, at, call).rkey == nullptr) return false;
    at += part_in_chunk(net, rank, at, address + bytes - at);
  }
  return true;
}

enum class Way { put, get };

/// A transfer as the engine sees it.
struct Moved {
  Network& net;
  const Operation& what;
  Way way;
  std::uint64_t there;
  std::span<std::byte> here;  // of a put it is only read
};

/// One part, within a chunk. False where the engine does not reach it from the process that the
/// rank is in by now.
bool start_part(const Moved& moved, std::size_t at, std::size_t bytes, UnderWay& transfer) {
  const std::uint64_t there = moved.there + at;
  const std::span<std::byte> here = moved.here.subspan(at, bytes);
  return begin_with_key(moved.net, moved.what.rank, there, moved.what.call(),
                        [&](Engine& engine, const EngineKey& key) {
                          if (moved.way == Way::put)
                            engine.put(key.process, key.rkey, there, here, transfer.begin());
                          else
                            engine.get(key.process, key.rkey, there, here, transfer.begin());
                        });
}

/// Begins all parts, so many of them at a time. What the engine does not reach goes by records.
void start_parts(const Moved& moved, std::size_t parts_max, UnderWay& transfer) {
  const Operation& what = moved.what;
  for (std::size_t at = 0; at < moved.here.size();) {
    const std::size_t left = moved.here.size() - at;
    const std::size_t part = part_in_chunk(moved.net, what.rank, moved.there + at, left);
    transfer.await(moved.net, parts_max - 1, what.call());
    if (!start_part(moved, at, part, transfer)) {
      const OnePiece rest{static_cast<std::byte*>(what.to) + at,
                          static_cast<const std::byte*>(what.from) + at, left};
      (void)zero_copy.start(operation_on(what.verb, what.rank, rest, what.update), Finish::now);
      return;
    }
    at += part;
  }
}

void transfer_now(const Moved& moved) {
  const Operation& what = moved.what;
  moved.net.flush().records_to(what.rank, what.call());
  UnderWay transfer;
  start_parts(moved, under_way_max, transfer);
  transfer.await(moved.net, 0, what.call());
  moved.net.peers().require_reachable(what.rank, what.call());
}

/// A transfer behind a handle.
struct LaterTransfer final : detail::Request, UnderWay {
  LaterTransfer(Rank other, Way is) : rank(other), way(is) {
    is_complete = [](Request& request) {
      return static_cast<LaterTransfer&>(request).parts() == 0;
    };
    check = [](Request& request) {
      const auto& transfer = static_cast<LaterTransfer&>(request);
      net::network()->peers().require_reachable(transfer.rank,
                                                transfer.way == Way::put ? "put" : "get");
    };
    release = [](Request& request) { delete &static_cast<LaterTransfer&>(request); };
  }
  Rank rank;
  Way way;
};

detail::Request* transfer_later(const Moved& moved) {
  const Operation& what = moved.what;
  wait::make_room_for_operation(moved.here.size(), what.call());
  moved.net.flush().records_to(what.rank, what.call());
  auto transfer = std::make_unique<LaterTransfer>(what.rank, moved.way);
  transfer->count(moved.here.size());
  start_parts(moved, SIZE_MAX, *transfer);
  moved.net.thread().leave_to_thread();
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
  const Moved moved{.net = net,
                    .what = what,
                    .way = is_put ? Way::put : Way::get,
                    .there = reinterpret_cast<std::uint64_t>(is_put ? what.to : what.from),
                    .here = is_put ? source(what.from, what.bytes())
                                   : std::span(static_cast<std::byte*>(what.to), what.bytes())};
  if (!is_reached(net, what.rank, moved.there, moved.here.size(), what.call()))
    return zero_copy.start(what, finish);
  if (finish == Finish::later) return transfer_later(moved);
  transfer_now(moved);
  return nullptr;
}

}  // namespace

const Protocol engine{.name = "engine", .start = start_engine, .start_atomic = nullptr};

}  // namespace armature::rma
