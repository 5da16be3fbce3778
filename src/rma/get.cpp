// Gets of other nodes' memory: pending requests, whose answers the target's process sends, in
// packets or as a stream.
#include <algorithm>
#include <memory>
#include <mutex>
#include <vector>

#include "armature/handle.hpp"
#include "net/network.hpp"
#include "rma/pending_requests.hpp"
#include "rma/protocol.hpp"
#include "rma/remote.hpp"
#include "rma/write_stream.hpp"
#include "wait/all_of.hpp"
#include "wait/suppress_thread.hpp"

namespace armature::rma {

using transport::Link;

namespace {

IovCursor::Levels levels_of(const Subarray& subarray,
                            const std::array<std::ptrdiff_t, Strided::levels_max>& strides) {
  return {subarray.levels, subarray.counts, strides};
}

}  // namespace

void ask_subarray(const Operation& what, std::uint64_t request, Asked asked) {
  const IovCursor::Levels levels = levels_of(what.subarray, what.subarray.from_strides);
  GetRecord record;  // of whose levels as many travel as there are
  record.request = request;
  record.address = reinterpret_cast<std::uint64_t>(what.from);
  record.row_bytes = what.subarray.row_bytes;
  record.levels = levels.levels;
  for (std::size_t level = 0; level < levels.levels; ++level)
    record.level[level] = {levels.counts[level], levels.strides[level]};
  const std::size_t used = offsetof(GetRecord, level) + levels.levels * sizeof(GetRecord::Level);
  ask(*net::network(), what.rank, Kind::get, std::as_bytes(std::span(&record, 1)).first(used), {},
      asked);
}

namespace {

IovCursor into(const Operation& what) {
  return IovCursor::subarray(static_cast<std::byte*>(what.to), what.subarray.row_bytes,
                             levels_of(what.subarray, what.subarray.to_strides));
}

detail::Request* get_subarray(const Operation& what, Finish finish) {
  if (finish == Finish::now) {
    const wait::SuppressThread suppressed;
    PendingGet get(what.rank, into(what), what.bytes());
    ask_subarray(what, get.number(), Asked::now);
    get.wait(what.call());
    return nullptr;
  }
  // First: who waits may go to another process, and requests are numbered by process.
  Network& net = *net::network();
  wait::make_room_for_operation(what.bytes(), what.call());
  net.flush().await_room(what.rank, what.call());
  auto get = std::make_unique<AsyncGet>(what.rank, into(what), what.bytes());
  get->count();
  ask_subarray(what, get->number(), Asked::with_others);
  // The caller computes from now on, as often as not.
  if (!is_copied(what.bytes())) net.thread().leave_to_thread();
  return get.release();
}

/// Asks for a list of pieces, by as many requests as it takes.
std::vector<std::unique_ptr<PendingGet>> ask_pieces(Network& net, Rank rank, const Iov& pieces,
                                                    Asked asked) {
  const std::size_t at_once = (Link::body_bytes_max - sizeof(GatherRecord)) / sizeof(void*);
  std::vector<std::unique_ptr<PendingGet>> gets;
  for (std::size_t i = 0; i < pieces.to.size(); i += at_once) {
    // First: who waits may go to another process, and requests are numbered by process.
    const std::size_t count = std::min(at_once, pieces.to.size() - i);
    if (asked == Asked::with_others) {
      wait::make_room_for_operation(count * pieces.bytes, "get_vector");
      net.flush().await_room(rank, "get_vector");
    }
    std::vector<std::byte*> into(count);
    for (std::size_t p = 0; p < count; ++p) into[p] = static_cast<std::byte*>(pieces.to[i + p]);
    gets.push_back(std::make_unique<PendingGet>(
        rank, IovCursor::pieces(std::move(into), pieces.bytes), count * pieces.bytes));
    if (asked == Asked::with_others) gets.back()->count();
    const GatherRecord record{gets.back()->number(), pieces.bytes, count};
    ask(net, rank, Kind::gather, std::as_bytes(std::span(&record, 1)),
        std::as_bytes(pieces.from.subspan(i, count)), asked);
  }
  return gets;
}

/// Requests behind one handle.
struct AsyncGets final : detail::Request {
  explicit AsyncGets(std::vector<std::unique_ptr<PendingGet>> of) : gets(std::move(of)) {
    is_complete = [](Request& request) {
      return std::ranges::all_of(static_cast<AsyncGets&>(request).gets,
                                 [](const auto& get) { return get->is_answered(); });
    };
    check = [](Request& request) {
      for (const auto& get : static_cast<AsyncGets&>(request).gets) get->check("get_vector");
    };
    release = [](Request& request) { delete &static_cast<AsyncGets&>(request); };
  }
  std::vector<std::unique_ptr<PendingGet>> gets;
};

detail::Request* get_list(const Operation& what, const Iov& pieces, Finish finish) {
  if (pieces.bytes == 0 || pieces.to.empty()) return nullptr;
  Network& net = *net::network();
  if (finish == Finish::now) {
    for (const auto& get : ask_pieces(net, what.rank, pieces, Asked::now)) get->wait(what.call());
    return nullptr;
  }
  auto gets = std::make_unique<AsyncGets>(ask_pieces(net, what.rank, pieces, Asked::with_others));
  if (!is_copied(pieces.bytes * pieces.to.size())) net.thread().leave_to_thread();
  return gets.release();
}

}  // namespace

detail::Request* start_get(const Operation& what, Finish finish) {
  if (!what.is_list()) return get_subarray(what, finish);
  if (what.lists.size() == 1) return get_list(what, what.lists[0], finish);
  std::vector<Handle> gets;
  for (const Iov& pieces : what.lists)
    if (detail::Request* const request = get_list(what, pieces, finish)) gets.emplace_back(request);
  return wait::all_of(std::move(gets));
}

}  // namespace armature::rma
