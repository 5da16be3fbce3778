// Gets, atomics and checks of addresses on other nodes: questions, whose answers the target's
// process sends.
#include <algorithm>
#include <array>
#include <cstring>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "armature/handle.hpp"
#include "base/fail.hpp"
#include "base/runtime.hpp"
#include "net/network.hpp"
#include "rma/by_engine.hpp"
#include "rma/far.hpp"
#include "rma/questions.hpp"
#include "transport/protocol.hpp"
#include "wait/all_of.hpp"
#include "wait/quiet.hpp"
#include "wait/rank_context.hpp"

namespace armature::rma {

using transport::Link;
using Lock = transport::Links::Lock;

namespace {

template <class Record>
std::span<const std::byte> bytes_of_record(const Record& record) {
  return std::as_bytes(std::span(&record, 1));
}

/// What an atomic has found.
class Found : public Question {
 public:
  using Question::Question;
  ~Found() override { retire(); }
  [[nodiscard]] std::uint64_t found() const { return found_; }

 private:
  bool take(const transport::Arrived& answer) override {
    found_ = answer.head<ValueRecord>().value;
    return true;
  }
  std::uint64_t found_ = 0;
};

/// The same behind a future.
struct LaterFound final : detail::Request, Found {
  explicit LaterFound(Rank rank) : Found(rank) {
    is_complete = [](Request& request) { return static_cast<LaterFound&>(request).is_answered(); };
    Request::check = [](Request& request) {
      auto& atomic = static_cast<LaterFound&>(request);
      atomic.Question::check("atomic");
      atomic.value = atomic.found();
    };
    release = [](Request& request) { delete &static_cast<LaterFound&>(request); };
    count(sizeof found());
  }
};

class Checked final : public Question {
 public:
  using Question::Question;
  ~Checked() override { retire(); }
  std::uint64_t extent = 0;
  std::uint32_t code = 0;
  [[nodiscard]] std::string text() const { return {text_.data(), text_bytes_}; }

 private:
  bool take(const transport::Arrived& answer) override {
    const auto checked = answer.head<CheckedRecord>();
    extent = checked.extent;
    code = checked.code;
    const auto rest = answer.rest(sizeof checked);
    text_bytes_ = std::min(rest.size(), text_.size());
    std::memcpy(text_.data(), rest.data(), text_bytes_);
    return true;
  }
  // Not a string: what is allocated here is the process's, and the rank may be in another one when
  // it reads it.
  std::array<char, 1024> text_;
  std::size_t text_bytes_ = 0;
};

Runs::Levels levels_of(const Section& section,
                       const std::array<std::ptrdiff_t, Strided::levels_max>& strides) {
  return {section.levels, section.counts, strides};
}

/// How much of each rank's band on another node is known to be allocated, in this process. It only
/// grows.
struct Extents {
  std::vector<std::atomic<std::uint64_t>> of = std::vector<std::atomic<std::uint64_t>>(
      static_cast<std::size_t>(net::network()->mapping().ranks()));
};

std::atomic<std::uint64_t>& known_extent(Rank rank) {
  return base::state<Extents>().of[static_cast<std::size_t>(static_cast<int>(rank))];
}

}  // namespace

int sender() {
  const wait::RankContext* context = wait::current_rank();
  return context != nullptr ? static_cast<int>(context->space.me()) : -1;
}

void forget_extents(const Network& net) {
  for (int rank = 0; rank < net.mapping().ranks(); ++rank)
    known_extent(Rank(rank)).store(0, std::memory_order_relaxed);
}

/// The part of a record that is there. Where nobody waits for the answer yet, questions gather as
/// puts do: behind one that is under way, whose answer brings the acknowledgement.
void ask(Network& net, Rank rank, Kind kind, std::span<const std::byte> record,
         std::span<const std::byte> rest, Asked asked) {
  const Lock locked(net.links().lock());
  Link& link = net.link_to(rank);
  std::byte* const body = link.append(kind, sender(), rank, record.size() + rest.size(),
                                      asked == Asked::now ? Link::Ack::none : Link::Ack::later);
  std::memcpy(body, record.data(), record.size());
  if (!rest.empty()) std::memcpy(body + record.size(), rest.data(), rest.size());
  asked == Asked::now ? link.flush() : link.offer();
}

Network* far(Rank rank, const char* call) {
  Network* const net = net::network();
  if (net == nullptr) return nullptr;
  net->mapping().require_rank(rank, call);
  return net->mapping().is_here(rank) ? nullptr : net;
}

void require_far(Network& net, Rank rank, const void* address, std::size_t bytes,
                 const char* call) {
  net.require_reachable(rank, call);
  const space::Mapping& mapping = net.mapping();
  // Bands are laid out alike on all nodes.
  const auto begin = reinterpret_cast<std::uintptr_t>(mapping.band(rank)) + mapping.heap_offset();
  const std::uintptr_t offset = reinterpret_cast<std::uintptr_t>(address) - begin;
  const std::uint64_t known = known_extent(rank).load(std::memory_order_relaxed);
  if (offset <= known && bytes <= known - offset && !mapping.checks_in_full()) return;
  Checked checked(rank);
  const CheckRecord record{checked.number(), reinterpret_cast<std::uint64_t>(address), bytes};
  ask(net, rank, Kind::check, bytes_of_record(record),
      std::as_bytes(std::span(call, std::strlen(call))));
  checked.wait(call);
  // Of the process that the rank is in by now.
  known_extent(rank).store(checked.extent, std::memory_order_relaxed);
  if (checked.code != 0) base::fail(static_cast<Errc>(checked.code - 1), checked.text());
}

void ask_section(Network& net, Rank rank, std::uint64_t question, const void* from,
                 std::size_t row_bytes, const Runs::Levels& levels, Asked asked) {
  GetRecord record{};
  record.question = question;
  record.address = reinterpret_cast<std::uint64_t>(from);
  record.row_bytes = row_bytes;
  record.levels = levels.levels;
  for (std::size_t level = 0; level < levels.levels; ++level)
    record.level[level] = {levels.counts[level], levels.strides[level]};
  const std::size_t used = offsetof(GetRecord, level) + levels.levels * sizeof(GetRecord::Level);
  ask(net, rank, Kind::get, bytes_of_record(record).first(used), {}, asked);
}

void get_far(Network& net, Rank rank, void* to, const void* from, std::size_t bytes,
             const char* call) {
  if (bytes == 0 || get_by_engine(net, rank, to, from, bytes, call)) return;
  const wait::Quiet quiet;
  Fetch fetch(rank, Runs::contiguous(static_cast<std::byte*>(to), bytes), bytes);
  ask_section(net, rank, fetch.number(), from, bytes, {});
  fetch.wait(call);
}

void get_far(Network& net, Rank rank, void* to, const void* from, const Section& section,
             const char* call) {
  const wait::Quiet quiet;
  Fetch fetch(rank,
              Runs::section(static_cast<std::byte*>(to), section.row_bytes,
                            levels_of(section, section.to_strides)),
              bytes_of(section));
  ask_section(net, rank, fetch.number(), from, section.row_bytes,
              levels_of(section, section.from_strides));
  fetch.wait(call);
}

detail::Request* get_far_later(Network& net, Rank rank, void* to, const void* from,
                               const Section& section) {
  if (section.levels == 0)
    if (auto* const request = get_by_engine_later(net, rank, to, from, section.row_bytes))
      return request;
  // First: who waits may go to another process, and questions are numbered by process.
  wait::make_room_for_operation(bytes_of(section), "get");
  net.await_room(rank, "get");
  auto fetch =
      std::make_unique<LaterFetch>(rank,
                                   Runs::section(static_cast<std::byte*>(to), section.row_bytes,
                                                 levels_of(section, section.to_strides)),
                                   bytes_of(section));
  fetch->count();
  ask_section(net, rank, fetch->number(), from, section.row_bytes,
              levels_of(section, section.from_strides), Asked::with_others);
  // The caller computes from now on, as often as not.
  if (bytes_of(section) > transport::Protocol::get().copied_max) net.look_away();
  return fetch.release();
}

namespace {

/// Asks for a list of pieces, by as many questions as it takes.
std::vector<std::unique_ptr<Fetch>> ask_pieces(Network& net, Rank rank, const Segments& pieces,
                                               Asked asked) {
  const std::size_t at_once = (Link::body_bytes_max - sizeof(GatherRecord)) / sizeof(void*);
  std::vector<std::unique_ptr<Fetch>> fetches;
  for (std::size_t i = 0; i < pieces.to.size(); i += at_once) {
    // First: who waits may go to another process, and questions are numbered by process.
    const std::size_t count = std::min(at_once, pieces.to.size() - i);
    if (asked == Asked::with_others) {
      wait::make_room_for_operation(count * pieces.bytes, "get_vector");
      net.await_room(rank, "get_vector");
    }
    std::vector<std::byte*> into(count);
    for (std::size_t p = 0; p < count; ++p) into[p] = static_cast<std::byte*>(pieces.to[i + p]);
    fetches.push_back(std::make_unique<Fetch>(rank, Runs::pieces(std::move(into), pieces.bytes),
                                              count * pieces.bytes));
    if (asked == Asked::with_others) fetches.back()->count();
    const GatherRecord record{fetches.back()->number(), pieces.bytes, count};
    ask(net, rank, Kind::gather, bytes_of_record(record),
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

}  // namespace

void get_far(Network& net, Rank rank, const Segments& pieces, const char* call) {
  if (pieces.bytes == 0) return;
  for (const auto& fetch : ask_pieces(net, rank, pieces, Asked::now)) fetch->wait(call);
}

namespace {

detail::Request* get_list_later(Network& net, Rank rank, const Segments& pieces) {
  if (pieces.bytes == 0 || pieces.to.empty()) return nullptr;
  auto fetches = std::make_unique<LaterFetches>(ask_pieces(net, rank, pieces, Asked::with_others));
  if (!is_copied(pieces.bytes * pieces.to.size())) net.look_away();
  return fetches.release();
}

}  // namespace

detail::Request* get_far_later(Network& net, Rank rank, std::span<const Segments> lists) {
  if (lists.size() == 1) return get_list_later(net, rank, lists[0]);
  std::vector<Handle> gets;
  for (const Segments& pieces : lists)
    if (detail::Request* const request = get_list_later(net, rank, pieces))
      gets.emplace_back(request);
  return wait::all_of(std::move(gets));
}

std::uint64_t atomic_far(Network& net, Rank rank, AtomicRecord what, const char* call) {
  const wait::Quiet quiet;
  Found found(rank);
  what.question = found.number();
  ask(net, rank, Kind::atomic, bytes_of_record(what));
  found.wait(call);
  return found.found();
}

detail::Request* atomic_far_later(Network& net, Rank rank, AtomicRecord what, const char* call) {
  // First: who waits may go to another process, and questions are numbered by process.
  wait::make_room_for_operation(what.bytes, call);
  net.await_room(rank, call);
  auto found = std::make_unique<LaterFound>(rank);
  what.question = found->number();
  ask(net, rank, Kind::atomic, bytes_of_record(what), {}, Asked::with_others);
  return found.release();
}

}  // namespace armature::rma
