// Scatter and gather by address lists. All addresses are checked before anything moves: a pass over
// the remote list that finds the lowest and the highest, which the machine does several at a time,
// and one check of that range. Only when the range is bad is it worth asking which address was.
// Programs often list every n-th element of an array: such a list is noticed on the way and moves
// as a subarray, three times as fast.
#include <algorithm>
#include <atomic>
#include <cstring>
#include <optional>

#include <fmt/format.h>

#include "armature/detail/transfer.hpp"
#include "armature/detail/view.hpp"
#include "armature/iov.hpp"
#include "base/fail.hpp"
#include "rma/clones.hpp"
#include "rma/pieces.hpp"
#include "rma/protocol.hpp"
#include "rma/remote.hpp"
#include "rma/subarray.hpp"
#include "wait/rank_context.hpp"
#include "wait/thread_call.hpp"

namespace armature {
namespace rma {
namespace {

struct Range {
  std::uintptr_t low;
  std::uintptr_t high;
};

ARMATURE_CLONES
Range range_of(const void* const* addresses, std::size_t count) {
  // As signed numbers, which the machine compares faster; no user address is negative.
  std::intptr_t low = INTPTR_MAX, high = INTPTR_MIN;
  for (std::size_t i = 0; i < count; ++i) {
    const auto a = reinterpret_cast<std::intptr_t>(addresses[i]);
    low = a < low ? a : low;
    high = a > high ? a : high;
  }
  return {static_cast<std::uintptr_t>(low), static_cast<std::uintptr_t>(high)};
}

std::ptrdiff_t distance(const void* a, const void* b) {
  return static_cast<std::ptrdiff_t>(reinterpret_cast<std::uintptr_t>(b) -
                                     reinterpret_cast<std::uintptr_t>(a));
}

/// True when the addresses lie `stride` bytes apart from first to last. Looks at 32 at a time, so
/// that a list that does not is soon known.
ARMATURE_CLONES
bool is_even(const void* const* addresses, std::size_t count, std::ptrdiff_t stride) {
  using Four [[gnu::vector_size(32)]] = std::uintptr_t;
  const auto first = reinterpret_cast<std::uintptr_t>(addresses[0]);
  const auto step = static_cast<std::uintptr_t>(stride);
  Four expected = {first, first + step, first + 2 * step, first + 3 * step};
  Four expected_next = expected + 4 * step;
  std::size_t i = 0;
  while (i + 32 <= count) {
    Four difference = {};
    for (int eights = 0; eights < 4; ++eights, i += 8) {
      Four found, found_next;
      std::memcpy(&found, addresses + i, sizeof found);
      std::memcpy(&found_next, addresses + i + 4, sizeof found_next);
      difference |= (found ^ expected) | (found_next ^ expected_next);
      expected += 8 * step;
      expected_next += 8 * step;
    }
    if ((difference[0] | difference[1] | difference[2] | difference[3]) != 0) return false;
  }
  for (; i < count; ++i)
    if (reinterpret_cast<std::uintptr_t>(addresses[i]) != first + i * step) return false;
  return true;
}

/// The distance between neighbours, when it is the same for all, the list is long enough for that
/// to help, and it does not go round the address space, so that its ends say where it is.
std::optional<std::ptrdiff_t> stride_of(const void* const* addresses, std::size_t count) {
  constexpr std::size_t count_min = 16;
  if (count < count_min) return std::nullopt;
  const std::ptrdiff_t stride = distance(addresses[0], addresses[1]);
  std::ptrdiff_t whole = 0;
  if (__builtin_mul_overflow(stride, static_cast<std::ptrdiff_t>(count - 1), &whole))
    return std::nullopt;
  if (!is_even(addresses, count, stride)) return std::nullopt;
  return stride;
}

template <std::size_t bytes>
[[gnu::always_inline]] inline void copy_fixed(void* const* to, const void* const* from,
                                              std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) std::memcpy(to[i], from[i], bytes);
}

ARMATURE_CLONES
void copy_pieces(void* const* to, const void* const* from, std::size_t count, std::size_t bytes) {
  switch (bytes) {
    case 4:
      return copy_fixed<4>(to, from, count);
    case 8:
      return copy_fixed<8>(to, from, count);
    case 16:
      return copy_fixed<16>(to, from, count);
    case 32:
      return copy_fixed<32>(to, from, count);
    case 64:
      return copy_fixed<64>(to, from, count);
    default:
      for (std::size_t i = 0; i < count; ++i) detail::copy(to[i], from[i], bytes);
  }
}

const void* const* targets(const Iov& s) {
  return reinterpret_cast<const void* const*>(s.to.data());
}

/// The properties of the remote addresses of a list, of one at least.
struct Look {
  std::optional<std::ptrdiff_t> stride;  // where it is the same from each to the next
  const void* low;
  std::size_t bytes;  // from the lowest on, of all; SIZE_MAX: more than can be

  [[nodiscard]] bool is_reachable(Rank rank) const { return detail::reachable(rank, low, bytes); }
};

std::span<const void* const> remote_of(const Iov& s, Remote side) {
  return side == Remote::to ? std::span(targets(s), s.to.size()) : s.from;
}

Look look_at(std::span<const void* const> remote, std::size_t piece_bytes) {
  const auto stride = stride_of(remote.data(), remote.size());
  const auto first = reinterpret_cast<std::uintptr_t>(remote.front());
  const auto last = reinterpret_cast<std::uintptr_t>(remote.back());
  const Range range = stride ? Range{std::min(first, last), std::max(first, last)}
                             : range_of(remote.data(), remote.size());
  std::size_t bytes = 0;
  if (__builtin_add_overflow(range.high - range.low, piece_bytes, &bytes)) bytes = SIZE_MAX;
  return {stride, reinterpret_cast<const void*>(range.low), bytes};
}

void require_as_many(const Iov& s, const char* call) {
  if (s.to.size() != s.from.size())
    base::fail(Errc::bad_argument,
               fmt::format("{}: {} target and {} source addresses: they must be as many", call,
                           s.to.size(), s.from.size()));
}

/// Throws unless every remote piece is good: by one request where all is well.
Memory check_pieces(Rank rank, const Iov& s, Remote side, const char* call) {
  require_as_many(s, call);
  const auto remote = remote_of(s, side);
  const space::Mapping& mapping = wait::mapping(call);
  if (remote.empty()) return mapping.require_rank(rank, call), Memory{};
  const Look look = look_at(remote, s.bytes);
  if (look.is_reachable(rank)) return {};
  if (look.bytes != SIZE_MAX && !mapping.checks_in_full()) {
    try {
      return require(rank, look.low, look.bytes, call);
    } catch (const Error& error) {
      if (error.code() == Errc::rank_lost) throw;
    }
  }
  return require_each(rank, remote, s.bytes, call);
}

/// Lists that are even on both sides are subarrays, which need no look at each address.
void copy_segment(const Iov& s, std::optional<std::ptrdiff_t> to_stride,
                  std::optional<std::ptrdiff_t> from_stride) {
  if (to_stride && from_stride)
    copy_rows(s.to[0], *to_stride, s.from[0], *from_stride, s.to.size(), s.bytes);
  else
    copy_pieces(s.to.data(), s.from.data(), s.to.size(), s.bytes);
}

/// A single list whose remote pieces can be touched at once is copied; false for others.
bool copied_at_once(Rank rank, std::span<const Iov> lists, Remote side, const char* call) {
  if (lists.size() != 1) return false;
  const Iov& s = lists[0];
  require_as_many(s, call);
  const auto remote = remote_of(s, side);
  if (remote.empty()) return false;
  const Look look = look_at(remote, s.bytes);
  if (!look.is_reachable(rank)) return false;
  const auto local_stride = [&] {
    return side == Remote::to ? stride_of(s.from.data(), s.from.size())
                              : stride_of(targets(s), s.to.size());
  };
  const auto local = look.stride ? local_stride() : std::nullopt;
  if (side == Remote::to) {
    std::atomic_thread_fence(std::memory_order_release);
    copy_segment(s, look.stride, local);
  } else {
    copy_segment(s, local, look.stride);
    std::atomic_thread_fence(std::memory_order_acquire);
  }
  return true;
}

detail::Request* start_list(Verb verb, Rank rank, std::span<const Iov> lists, Finish finish,
                            const char* call) {
  const wait::ThreadCall under_way(call);
  if (lists.empty()) return wait::mapping(call).require_rank(rank, call), nullptr;
  if (copied_at_once(rank, lists, verb == Verb::get ? Remote::from : Remote::to, call))
    return nullptr;
  return start(operation_on(verb, rank, lists, {.call = call}), finish);
}

}  // namespace

Memory check_iov(Rank rank, std::span<const Iov> iov, Remote side, const char* call) {
  Memory all;
  for (const Iov& s : iov) all.take_in(check_pieces(rank, s, side, call));
  return all;
}

void copy_pieces(const Iov& pieces) {
  if (pieces.to.empty()) return;
  const auto to_stride = stride_of(targets(pieces), pieces.to.size());
  copy_segment(pieces, to_stride,
               to_stride ? stride_of(pieces.from.data(), pieces.from.size()) : std::nullopt);
}

}  // namespace rma

void put_vector(Rank rank, std::span<const Iov> iov) {
  (void)rma::start_list(rma::Verb::put, rank, iov, rma::Finish::now, "put_vector");
}
void get_vector(Rank rank, std::span<const Iov> iov) {
  (void)rma::start_list(rma::Verb::get, rank, iov, rma::Finish::now, "get_vector");
}
Handle put_vector_async(Rank rank, std::span<const Iov> iov) {
  return Handle(rma::start_list(rma::Verb::put, rank, iov, rma::Finish::later, "put_vector"));
}
Handle get_vector_async(Rank rank, std::span<const Iov> iov) {
  return Handle(rma::start_list(rma::Verb::get, rank, iov, rma::Finish::later, "get_vector"));
}
void put_vector_nbi(Rank rank, std::span<const Iov> iov) {
  detail::make_implicit(rank, put_vector_async(rank, iov), "put_vector_nbi");
}
void get_vector_nbi(Rank rank, std::span<const Iov> iov) {
  detail::make_implicit(rank, get_vector_async(rank, iov), "get_vector_nbi");
}

}  // namespace armature

// deprecated: an Iov was called Segments by programs that were compiled before.
#pragma GCC diagnostic ignored "-Wattribute-alias"
extern "C" {
ARMATURE_API void _ZN8armature10get_vectorENS_4RankESt4spanIKNS_8SegmentsELm18446744073709551615EE()
    __attribute__((
        alias("_ZN8armature10get_vectorENS_4RankESt4spanIKNS_3IovELm18446744073709551615EE")));
ARMATURE_API void _ZN8armature10put_vectorENS_4RankESt4spanIKNS_8SegmentsELm18446744073709551615EE()
    __attribute__((
        alias("_ZN8armature10put_vectorENS_4RankESt4spanIKNS_3IovELm18446744073709551615EE")));
ARMATURE_API void
_ZN8armature14get_vector_nbiENS_4RankESt4spanIKNS_8SegmentsELm18446744073709551615EE()
    __attribute__((
        alias("_ZN8armature14get_vector_nbiENS_4RankESt4spanIKNS_3IovELm18446744073709551615EE")));
ARMATURE_API void
_ZN8armature14put_vector_nbiENS_4RankESt4spanIKNS_8SegmentsELm18446744073709551615EE()
    __attribute__((
        alias("_ZN8armature14put_vector_nbiENS_4RankESt4spanIKNS_3IovELm18446744073709551615EE")));
ARMATURE_API void
_ZN8armature16get_vector_asyncENS_4RankESt4spanIKNS_8SegmentsELm18446744073709551615EE()
    __attribute__((alias(
        "_ZN8armature16get_vector_asyncENS_4RankESt4spanIKNS_3IovELm18446744073709551615EE")));
ARMATURE_API void
_ZN8armature16put_vector_asyncENS_4RankESt4spanIKNS_8SegmentsELm18446744073709551615EE()
    __attribute__((alias(
        "_ZN8armature16put_vector_asyncENS_4RankESt4spanIKNS_3IovELm18446744073709551615EE")));
}
