// What the inlined put and get leave over: wrong addresses, and full checking.
#include "armature/detail/transfer.hpp"

#include <fmt/format.h>

#include "armature/aggregate.hpp"
#include "armature/atomic.hpp"
#include "base/fail.hpp"
#include "net/network.hpp"
#include "rma/far.hpp"
#include "rma/here.hpp"
#include "wait/implicit.hpp"
#include "wait/rank_context.hpp"
#include "wait/thread_call.hpp"

namespace armature::rma {
namespace {

/// Calls move(word) with a word of that size when such values move as one (as on the fast path):
/// never seen half written by others. False, and nothing done, for other sizes and addresses.
template <class Move>
bool as_one(const void* remote, std::size_t bytes, Move&& move) {
  if (bytes == 0 || reinterpret_cast<std::uintptr_t>(remote) % bytes != 0) return false;
  switch (bytes) {
    case 1:
      return move(detail::Word<1>{}), true;
    case 2:
      return move(detail::Word<2>{}), true;
    case 4:
      return move(detail::Word<4>{}), true;
    case 8:
      return move(detail::Word<8>{}), true;
    default:
      return false;
  }
}

}  // namespace

void put_here(void* to, const void* from, std::size_t bytes) {
  const bool moved = as_one(to, bytes, [&](auto word) {
    std::memcpy(&word, from, sizeof word);
    detail::store(static_cast<decltype(word)*>(to), word);
  });
  if (!moved) detail::copy_out(to, from, bytes);
}

void get_here(void* to, const void* from, std::size_t bytes) {
  const bool moved = as_one(from, bytes, [&](auto word) {
    word = detail::load(static_cast<const decltype(word)*>(from));
    std::memcpy(to, &word, sizeof word);
  });
  if (!moved) detail::copy_in(to, from, bytes);
}

}  // namespace armature::rma

namespace armature::detail {

void put_slow(Rank rank, void* to, const void* from, std::size_t bytes, const char* call) {
  const wait::ThreadCall under_way(call);
  if (rma::Network* const net = rma::far(rank, call)) {
    rma::require_far(*net, rank, to, bytes, call);
    return rma::put_far(*net, rank, to, from, bytes, call);
  }
  wait::mapping(call).require(rank, to, bytes, call);
  rma::put_here(to, from, bytes);
}

Request* put_later(Rank rank, void* to, const void* from, std::size_t bytes, const char* call) {
  const wait::ThreadCall under_way(call);
  if (rma::Network* const net = rma::far(rank, call)) {
    rma::require_far(*net, rank, to, bytes, call);
    return rma::put_far_later(*net, rank, to, from, bytes, call);
  }
  put_slow(rank, to, from, bytes, call);
  return nullptr;
}

void get_slow(Rank rank, void* to, const void* from, std::size_t bytes, const char* call) {
  const wait::ThreadCall under_way(call);
  if (rma::Network* const net = rma::far(rank, call)) {
    rma::require_far(*net, rank, from, bytes, call);
    return rma::get_far(*net, rank, to, from, bytes, call);
  }
  wait::mapping(call).require(rank, from, bytes, call);
  rma::get_here(to, from, bytes);
}

Handle get_later(Rank rank, void* to, const void* from, std::size_t bytes, const char* call) {
  const wait::ThreadCall under_way(call);
  rma::Network* const net = rma::far(rank, call);
  if (net == nullptr || bytes == 0) {
    get_slow(rank, to, from, bytes, call);
    return {};
  }
  rma::require_far(*net, rank, from, bytes, call);
  rma::Section whole;
  whole.row_bytes = bytes;
  return Handle(rma::get_far_later(*net, rank, to, from, whole));
}

void get_implicit(Rank rank, void* to, const void* from, std::size_t bytes, const char* call) {
  const wait::ThreadCall under_way(call);
  Handle handle = get_later(rank, to, from, bytes, call);
  if (rma::far(rank, call) != nullptr)
    wait::implicit_of(wait::this_rank(call)).add(rank, std::move(handle));
}

namespace {

void require_aligned(Rank rank, const void* address, std::size_t bytes, const char* call) {
  if (reinterpret_cast<std::uintptr_t>(address) % bytes != 0)
    base::fail(
        Errc::bad_address,
        fmt::format("{}: {} of rank {} is not a multiple of {}: atomics need aligned addresses",
                    call, address, static_cast<int>(rank), bytes));
}

}  // namespace

namespace {

rma::AtomicRecord record_of(const void* address, std::size_t bytes, const AtomicOperation& what) {
  return {.question = 0,
          .address = reinterpret_cast<std::uint64_t>(address),
          .operand = what.operand,
          .expected = what.expected,
          .code = static_cast<rma::AtomicCode>(what.code),
          .bytes = static_cast<std::uint32_t>(bytes)};
}

/// The network, when that lies on another node; throws unless it may be reached.
rma::Network* check_atomic(Rank rank, const void* address, std::size_t bytes, const char* call) {
  rma::Network* const net = rma::far(rank, call);
  if (net != nullptr)
    rma::require_far(*net, rank, address, bytes, call);
  else
    wait::mapping(call).require(rank, address, bytes, call);
  require_aligned(rank, address, bytes, call);
  return net;
}

std::uint64_t perform_here(void* address, const rma::AtomicRecord& record) {
  return record.bytes == 8 ? rma::perform(static_cast<std::uint64_t*>(address), record)
                           : rma::perform(static_cast<std::uint32_t*>(address), record);
}

}  // namespace

std::uint64_t atomic_slow(Rank rank, void* address, std::size_t bytes, AtomicOperation what) {
  const wait::ThreadCall under_way(what.call);
  const rma::AtomicRecord record = record_of(address, bytes, what);
  if (rma::Network* const net = check_atomic(rank, address, bytes, what.call))
    return rma::atomic_far(*net, rank, record, what.call);
  return perform_here(address, record);
}

Request* atomic_later(Rank rank, void* address, std::size_t bytes, AtomicOperation what,
                      std::uint64_t& found) {
  const wait::ThreadCall under_way(what.call);
  const rma::AtomicRecord record = record_of(address, bytes, what);
  if (rma::Network* const net = check_atomic(rank, address, bytes, what.call))
    return rma::atomic_far_later(*net, rank, record, what.call);
  found = perform_here(address, record);
  return nullptr;
}

void aggregate_wait(Rank rank) {
  if (net::network() != nullptr) wait_all(rank);
}

bool aggregate_test(Rank rank) {
  const wait::ThreadCall under_way("Aggregate::test");
  return net::network() == nullptr ||
         wait::implicit_of(wait::this_rank("Aggregate::test")).test(rank);
}

void aggregate_check(Rank rank) { wait::mapping("Aggregate").require_rank(rank, "Aggregate"); }

void aggregate_other_rank(Rank bound, Rank given, const char* call) {
  base::fail(Errc::bad_rank,
             fmt::format("{}: this handle aggregates requests to rank {}, not to rank {}", call,
                         static_cast<int>(bound), static_cast<int>(given)));
}

}  // namespace armature::detail
