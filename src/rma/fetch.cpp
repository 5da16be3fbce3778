// Gets of other nodes' memory: questions, whose answers the target's process sends, in packets or
// as a stream.
#include <algorithm>
#include <memory>
#include <mutex>
#include <vector>

#include "armature/handle.hpp"
#include "net/network.hpp"
#include "rma/far.hpp"
#include "rma/protocol.hpp"
#include "rma/questions.hpp"
#include "rma/write_stream.hpp"
#include "wait/all_of.hpp"
#include "wait/suppress_thread.hpp"

namespace armature::rma {

using transport::Link;

namespace {

Runs::Levels levels_of(const Section& section,
                       const std::array<std::ptrdiff_t, Strided::levels_max>& strides) {
  return {section.levels, section.counts, strides};
}

}  // namespace

void ask_section(const Operation& what, std::uint64_t question, Asked asked) {
  const Runs::Levels levels = levels_of(what.section, what.section.from_strides);
  GetRecord record;  // of whose levels as many travel as there are
  record.question = question;
  record.address = reinterpret_cast<std::uint64_t>(what.from);
  record.row_bytes = what.section.row_bytes;
  record.levels = levels.levels;
  for (std::size_t level = 0; level < levels.levels; ++level)
    record.level[level] = {levels.counts[level], levels.strides[level]};
  const std::size_t used = offsetof(GetRecord, level) + levels.levels * sizeof(GetRecord::Level);
  ask(*net::network(), what.rank, Kind::get, std::as_bytes(std::span(&record, 1)).first(used), {},
      asked);
}

namespace {

Runs into(const Operation& what) {
  return Runs::section(static_cast<std::byte*>(what.to), what.section.row_bytes,
                       levels_of(what.section, what.section.to_strides));
}

detail::Request* fetch_section(const Operation& what, Finish finish) {
  if (finish == Finish::now) {
    const wait::SuppressThread suppressed;
    Fetch fetch(what.rank, into(what), what.bytes());
    ask_section(what, fetch.number(), Asked::now);
    fetch.wait(what.call());
    return nullptr;
  }
  // First: who waits may go to another process, and questions are numbered by process.
  Network& net = *net::network();
  wait::make_room_for_operation(what.bytes(), what.call());
  net.flush().await_room(what.rank, what.call());
  auto fetch = std::make_unique<LaterFetch>(what.rank, into(what), what.bytes());
  fetch->count();
  ask_section(what, fetch->number(), Asked::with_others);
  // The caller computes from now on, as often as not.
  if (!is_copied(what.bytes())) net.thread().leave_to_thread();
  return fetch.release();
}

/// Asks for a list of pieces, by as many questions as it takes.
std::vector<std::unique_ptr<Fetch>> ask_pieces(Network& net, Rank rank, const Iov& pieces,
                                               Asked asked) {
  const std::size_t at_once = (Link::body_bytes_max - sizeof(GatherRecord)) / sizeof(void*);
  std::vector<std::unique_ptr<Fetch>> fetches;
  for (std::size_t i = 0; i < pieces.to.size(); i += at_once) {
    // First: who waits may go to another process, and questions are numbered by process.
    const std::size_t count = std::min(at_once, pieces.to.size() - i);
    if (asked == Asked::with_others) {
      wait::make_room_for_operation(count * pieces.bytes, "get_vector");
      net.flush().await_room(rank, "get_vector");
    }
    std::vector<std::byte*> into(count);
    for (std::size_t p = 0; p < count; ++p) into[p] = static_cast<std::byte*>(pieces.to[i + p]);
    fetches.push_back(std::make_unique<Fetch>(rank, Runs::pieces(std::move(into), pieces.bytes),
                                              count * pieces.bytes));
    if (asked == Asked::with_others) fetches.back()->count();
    const GatherRecord record{fetches.back()->number(), pieces.bytes, count};
    ask(net, rank, Kind::gather, std::as_bytes(std::span(&record, 1)),
        std::as_bytes(pieces.from.subspan(i, count)), asked);
  }
  return fetches;
}

/// Questions behind one handle.
struct LaterFetches final : detail::Request {
  explicit LaterFetches(std::vector<std::unique_ptr<Fetch>> of) : fetches(std::move(of)) {
    is_complete = [](Request& request) {
      return std::ranges::all_of(static_cast<LaterFetches&>(request).fetches,
                                 [](const auto& fetch) { return fetch->is_answered(); });
    };
    check = [](Request& request) {
      for (const auto& fetch : static_cast<LaterFetches&>(request).fetches)
        fetch->check("get_vector");
    };
    release = [](Request& request) { delete &static_cast<LaterFetches&>(request); };
  }
  std::vector<std::unique_ptr<Fetch>> fetches;
};

detail::Request* fetch_list(const Operation& what, const Iov& pieces, Finish finish) {
  if (pieces.bytes == 0 || pieces.to.empty()) return nullptr;
  Network& net = *net::network();
  if (finish == Finish::now) {
    for (const auto& fetch : ask_pieces(net, what.rank, pieces, Asked::now))
      fetch->wait(what.call());
    return nullptr;
  }
  auto fetches =
      std::make_unique<LaterFetches>(ask_pieces(net, what.rank, pieces, Asked::with_others));
  if (!is_copied(pieces.bytes * pieces.to.size())) net.thread().leave_to_thread();
  return fetches.release();
}

}  // namespace

detail::Request* fetch(const Operation& what, Finish finish) {
  if (!what.is_list()) return fetch_section(what, finish);
  if (what.lists.size() == 1) return fetch_list(what, what.lists[0], finish);
  std::vector<Handle> gets;
  for (const Iov& pieces : what.lists)
    if (detail::Request* const request = fetch_list(what, pieces, finish))
      gets.emplace_back(request);
  return wait::all_of(std::move(gets));
}

}  // namespace armature::rma
