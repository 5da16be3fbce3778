// Ranks of other nodes: whether a rank is one, what of its memory may be reached, and how it is
// asked for something.
#include "rma/remote.hpp"

#include <algorithm>
#include <array>
#include <cstring>
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

}  // namespace

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
  const space::Mapping& mapping = net.mapping();
  // Segments are laid out alike on all nodes.
  const auto begin =
      reinterpret_cast<std::uintptr_t>(mapping.segment(rank)) + mapping.heap_offset();
  const std::uintptr_t offset = reinterpret_cast<std::uintptr_t>(address) - begin;
  const std::uint64_t known = known_extent(rank).load(std::memory_order_relaxed);
  if (offset <= known && bytes <= known - offset && !mapping.checks_in_full())
    return {.is_remote = true};
  if (!mapping.checks_in_full() && is_known_to_be_exposed(rank, address, bytes))
    return {.is = Memory::Is::host, .is_remote = true};
  PendingCheck checked(rank);
  const CheckRecord record{checked.number(), reinterpret_cast<std::uint64_t>(address), bytes};
  ask(net, rank, Kind::check, std::as_bytes(std::span(&record, 1)),
      std::as_bytes(std::span(call, std::strlen(call))));
  checked.wait(call);
  // The extent comes from the process that the rank is in by now.
  known_extent(rank).store(checked.head.extent, std::memory_order_relaxed);
  if (checked.head.code != 0) base::fail(static_cast<Errc>(checked.head.code - 1), checked.text());
  const std::uint64_t extent = checked.head.extent;
  const bool is_in_segment = offset <= extent && bytes <= extent - offset;
  return {.is = is_in_segment ? Memory::Is::segment : Memory::Is::host, .is_remote = true};
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
