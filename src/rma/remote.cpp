// Ranks of other nodes: whether a rank is one, what of its memory may be reached, and how it is
// asked for something.
#include "rma/remote.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "armature/detail/view.hpp"
#include "base/fail.hpp"
#include "base/runtime.hpp"
#include "image/copies.hpp"
#include "net/network.hpp"
#include "rma/known_exposures.hpp"
#include "rma/pending_requests.hpp"
#include "wait/rank_context.hpp"

namespace armature::rma {

using transport::Link;
using Lock = transport::Links::Lock;

namespace {

class PendingCheck final : public PendingRequest {
 public:
  using PendingRequest::PendingRequest;
  ~PendingCheck() override { retire(); }
  CheckedRecord head{};
  [[nodiscard]] std::string text() const { return {text_.data(), text_bytes_}; }

 private:
  bool take(const transport::Arrived& answer) override {
    const auto checked = answer.head<CheckedRecord>();
    head = checked;
    // In order with what says that it is concealed.
    if (checked.bytes != 0) note_exposed(rank(), {checked.begin, checked.bytes});
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

/// How much of each rank's segment on another node is known to be allocated, in this process. It
/// only grows.
struct Extents {
  static constexpr std::size_t runtime_place = 0;
  std::vector<std::atomic<std::uint64_t>> of = std::vector<std::atomic<std::uint64_t>>(
      static_cast<std::size_t>(net::network()->mapping().ranks()));
};

std::atomic<std::uint64_t>& known_extent(Rank rank) {
  return base::state<Extents>().of[static_cast<std::size_t>(static_cast<int>(rank))];
}

/// Segments are laid out alike on all nodes.
std::uintptr_t offset_in(const space::Mapping& mapping, Rank rank, const void* address) {
  const auto begin =
      reinterpret_cast<std::uintptr_t>(mapping.segment(rank)) + mapping.heap_offset();
  return reinterpret_cast<std::uintptr_t>(address) - begin;
}

bool is_within(std::uintptr_t offset, std::size_t bytes, std::uint64_t extent) {
  return offset <= extent && bytes <= extent - offset;
}

/// Memory as this process knows it; nothing where the process that has it must be asked.
std::optional<Memory> known_of(const space::Mapping& mapping, Rank rank, const void* address,
                               std::size_t bytes) {
  if (mapping.checks_in_full()) return std::nullopt;
  if (is_within(offset_in(mapping, rank, address), bytes,
                known_extent(rank).load(std::memory_order_relaxed)))
    return Memory{.is_remote = true};
  if (is_known_to_be_exposed(rank, address, bytes))
    return Memory{.is = Memory::Is::host, .is_remote = true};
  return std::nullopt;
}

void ask_about(Network& net, const PendingCheck& checked, const void* address, std::size_t bytes,
               const char* call, Asked asked) {
  const CheckRecord record{checked.number(), reinterpret_cast<std::uint64_t>(address), bytes};
  ask(net, checked.rank(), Kind::check, std::as_bytes(std::span(&record, 1)),
      std::as_bytes(std::span(call, std::strlen(call))), asked);
}

/// Blocks until the answer is there. Throws what it says.
Memory answer_about(const Network& net, PendingCheck& checked, const void* address,
                    std::size_t bytes, const char* call) {
  checked.wait(call);
  const CheckedRecord& head = checked.head;
  // The extent comes from the process that the rank is in by now.
  known_extent(checked.rank()).store(head.extent, std::memory_order_relaxed);
  if (head.code != 0) base::fail(static_cast<Errc>(head.code - 1), checked.text());
  const auto offset = offset_in(net.mapping(), checked.rank(), address);
  return {.is = is_within(offset, bytes, head.extent) ? Memory::Is::segment : Memory::Is::host,
          .is_remote = true};
}

}  // namespace

std::span<const std::byte> known_segment(const space::Mapping& mapping, Rank rank) {
  return {mapping.segment(rank) + mapping.heap_offset(),
          known_extent(rank).load(std::memory_order_relaxed)};
}

int sender() {
  const wait::RankContext* context = wait::current_rank();
  return context != nullptr ? static_cast<int>(context->space.me()) : -1;
}

void forget_extents(const Network& net) {
  for (int rank = 0; rank < net.mapping().ranks(); ++rank)
    known_extent(Rank(rank)).store(0, std::memory_order_relaxed);
  forget_known_exposures();
}

/// The part of a record that is there. Where nobody waits for the answer yet, requests gather as
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

Network* network_to(Rank rank, const char* call) {
  Network* const net = net::network();
  if (net == nullptr) return nullptr;
  net->mapping().require_rank(rank, call);
  return net->mapping().is_here(rank) ? nullptr : net;
}

Memory require_remote(Network& net, Rank rank, const void* address, std::size_t bytes,
                      const char* call) {
  net.peers().require_reachable(rank, call);
  if (const auto known = known_of(net.mapping(), rank, address, bytes)) return *known;
  PendingCheck checked(rank);
  ask_about(net, checked, address, bytes, call, Asked::now);
  return answer_about(net, checked, address, bytes, call);
}

namespace {

/// The questions go together: their answers take one round trip for all of them.
Memory answers_about(Network& net, Rank rank, std::span<const void* const> pieces,
                     std::size_t bytes, const char* call) {
  Memory all;
  std::vector<std::unique_ptr<PendingCheck>> questions;
  questions.reserve(pieces.size());
  for (const void* piece : pieces) {
    questions.push_back(std::make_unique<PendingCheck>(rank));
    const bool is_last = questions.size() == pieces.size();
    ask_about(net, *questions.back(), piece, bytes, call,
              is_last ? Asked::now : Asked::with_others);
  }
  for (std::size_t i = 0; i < pieces.size(); ++i)
    all.take_in(answer_about(net, *questions[i], pieces[i], bytes, call));
  return all;
}

}  // namespace

Memory require_each(Rank rank, std::span<const void* const> pieces, std::size_t bytes,
                    const char* call) {
  constexpr std::size_t at_once = 64;
  Memory all;
  while (!pieces.empty()) {
    const auto some = pieces.first(std::min(pieces.size(), at_once));
    pieces = pieces.subspan(some.size());
    // Both ranks may be on other nodes by now: this one has waited.
    Network* const net = network_to(rank, call);
    if (net != nullptr) net->peers().require_reachable(rank, call);
    std::array<const void*, at_once> unknown;
    std::size_t questions = 0;
    for (const void* piece : some) {
      if (net == nullptr)
        all.take_in(require(rank, piece, bytes, call));
      else if (const auto known = known_of(net->mapping(), rank, piece, bytes))
        all.take_in(*known);
      else
        unknown[questions++] = piece;
    }
    if (questions != 0)
      all.take_in(answers_about(*net, rank, std::span(unknown).first(questions), bytes, call));
  }
  return all;
}

void require_lasting(const void* side, std::size_t bytes, const char* call) {
  if (image::is_exchanged(side, bytes))
    base::fail(
        Errc::bad_argument,
        fmt::format("{}: {} bytes at {} are thread-local variables, which are those of other "
                    "ranks while this one waits (--private-globals): transfers between "
                    "nodes need memory of another kind",
                    call, bytes, side));
}

Memory require_local(const space::Mapping& mapping, Rank rank, const void* address,
                     std::size_t bytes, const char* call) {
  const auto memory = memory_at(mapping, rank, reinterpret_cast<std::uint64_t>(address), bytes);
  if (memory && memory->is != Memory::Is::segment) return *memory;
  mapping.require(rank, address, bytes, call);
  return {};
}

Memory require(Rank rank, const void* address, std::size_t bytes, const char* call) {
  if (detail::reachable(rank, address, bytes)) return {};
  if (Network* const net = network_to(rank, call))
    return require_remote(*net, rank, address, bytes, call);
  return require_local(wait::mapping(call), rank, address, bytes, call);
}

}  // namespace armature::rma
