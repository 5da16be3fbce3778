// Scatter and gather by address lists. All addresses are checked before anything moves: a pass over
// the remote list that finds the lowest and the highest, which the machine does several at a time,
// and one check of that range. Only when the range is bad is it worth asking which address was.
// Programs often list every n-th element of an array: such a list is noticed on the way and moves
// as a section, three times as fast.
#include <algorithm>
#include <atomic>
#include <cstring>
#include <optional>

#include <fmt/format.h>

#include "armature/detail/transfer.hpp"
#include "armature/detail/view.hpp"
#include "armature/segments.hpp"
#include "base/fail.hpp"
#include "rma/clones.hpp"
#include "rma/far.hpp"
#include "rma/section.hpp"
#include "rma/segments.hpp"
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

const void* const* targets(const Segments& s) {
  return reinterpret_cast<const void* const*>(s.to.data());
}

struct Span {
  std::uintptr_t low;
  std::size_t bytes;  // of all; SIZE_MAX: more than can be
  std::size_t piece_bytes;
};

/// The same for pieces on another node: one question where all is well.
void check_far(Network& net, Rank rank, std::span<const void* const> pieces, const Span& span,
               const char* call) {
  if (span.bytes != SIZE_MAX && !net.mapping().checks_in_full()) {
    try {
      return require_far(net, rank, reinterpret_cast<const void*>(span.low), span.bytes, call);
    } catch (const Error& error) {
      if (error.code() == Errc::rank_lost) throw;
    }
  }
  for (const void* piece : pieces) require_far(net, rank, piece, span.piece_bytes, call);
}

/// Throws unless every remote piece is good. Returns the remote addresses' stride if they have one.
std::optional<std::ptrdiff_t> check_pieces(Rank rank, const Segments& s, Remote side,
                                           const char* call) {
  if (s.to.size() != s.from.size())
    base::fail(Errc::bad_argument,
               fmt::format("{}: {} target and {} source addresses: they must be as many", call,
                           s.to.size(), s.from.size()));
  const std::size_t count = s.to.size();
  const void* const* remote = side == Remote::to ? targets(s) : s.from.data();
  if (count == 0) {
    wait::mapping(call).require_rank(rank, call);
    return std::nullopt;
  }
  const auto stride = stride_of(remote, count);
  const auto first = reinterpret_cast<std::uintptr_t>(remote[0]);
  const auto last = reinterpret_cast<std::uintptr_t>(remote[count - 1]);
  const Range range =
      stride ? Range{std::min(first, last), std::max(first, last)} : range_of(remote, count);
  std::size_t span = 0;
  const bool overflow = __builtin_add_overflow(range.high - range.low, s.bytes, &span);
  if (!overflow && detail::reachable(rank, reinterpret_cast<const void*>(range.low), span))
      [[likely]]
    return stride;
  if (Network* const net = far(rank, call)) {
    check_far(*net, rank, {remote, count}, {range.low, overflow ? SIZE_MAX : span, s.bytes}, call);
    return stride;
  }
  const space::Mapping& space = wait::mapping(call);
  for (std::size_t i = 0; i < count; ++i) space.require(rank, remote[i], s.bytes, call);
  return stride;
}

/// Lists that are even on both sides are sections, which need no look at each address.
void copy_segment(const Segments& s, std::optional<std::ptrdiff_t> to_stride,
                  std::optional<std::ptrdiff_t> from_stride) {
  if (to_stride && from_stride)
    copy_rows(s.to[0], *to_stride, s.from[0], *from_stride, s.to.size(), s.bytes);
  else
    copy_pieces(s.to.data(), s.from.data(), s.to.size(), s.bytes);
}

}  // namespace

void check_segments(Rank rank, std::span<const Segments> segments, Remote side, const char* call) {
  if (segments.empty()) wait::mapping(call).require_rank(rank, call);
  for (const Segments& s : segments) (void)check_pieces(rank, s, side, call);
}

}  // namespace rma

void put_vector(Rank rank, std::span<const Segments> segments) {
  const wait::ThreadCall under_way("put_vector");
  using namespace rma;
  const auto put_one = [](const Segments& s, std::optional<std::ptrdiff_t> to_stride) {
    copy_segment(s, to_stride, to_stride ? stride_of(s.from.data(), s.from.size()) : std::nullopt);
  };
  if (Network* const net = far(rank, "put_vector")) {
    check_segments(rank, segments, Remote::to, "put_vector");
    for (const Segments& s : segments) write_far(*net, rank, s, {.call = "put_vector"});
    return;
  }
  if (segments.size() == 1) {
    const auto to_stride = check_pieces(rank, segments[0], Remote::to, "put_vector");
    std::atomic_thread_fence(std::memory_order_release);
    return put_one(segments[0], to_stride);
  }
  check_segments(rank, segments, Remote::to, "put_vector");
  std::atomic_thread_fence(std::memory_order_release);
  for (const Segments& s : segments) put_one(s, stride_of(targets(s), s.to.size()));
}

void get_vector(Rank rank, std::span<const Segments> segments) {
  const wait::ThreadCall under_way("get_vector");
  using namespace rma;
  const auto get_one = [](const Segments& s, std::optional<std::ptrdiff_t> from_stride) {
    copy_segment(s, from_stride ? stride_of(targets(s), s.to.size()) : std::nullopt, from_stride);
  };
  if (Network* const net = far(rank, "get_vector")) {
    check_segments(rank, segments, Remote::from, "get_vector");
    for (const Segments& s : segments) get_far(*net, rank, s, "get_vector");
    return;
  }
  if (segments.size() == 1) {
    get_one(segments[0], check_pieces(rank, segments[0], Remote::from, "get_vector"));
  } else {
    check_segments(rank, segments, Remote::from, "get_vector");
    for (const Segments& s : segments) get_one(s, stride_of(s.from.data(), s.from.size()));
  }
  std::atomic_thread_fence(std::memory_order_acquire);
}

Handle put_vector_async(Rank rank, std::span<const Segments> segments) {
  const wait::ThreadCall under_way("put_vector");
  if (rma::Network* const net = rma::far(rank, "put_vector")) {
    rma::check_segments(rank, segments, rma::Remote::to, "put_vector");
    return Handle(rma::write_far_later(*net, rank, segments, {.call = "put_vector"}));
  }
  put_vector(rank, segments);
  return {};
}
Handle get_vector_async(Rank rank, std::span<const Segments> segments) {
  const wait::ThreadCall under_way("get_vector");
  if (rma::Network* const net = rma::far(rank, "get_vector")) {
    rma::check_segments(rank, segments, rma::Remote::from, "get_vector");
    return Handle(rma::get_far_later(*net, rank, segments));
  }
  get_vector(rank, segments);
  return {};
}
void put_vector_nbi(Rank rank, std::span<const Segments> segments) {
  const wait::ThreadCall under_way("put_vector");
  detail::make_implicit(rank, put_vector_async(rank, segments), "put_vector_nbi");
}
void get_vector_nbi(Rank rank, std::span<const Segments> segments) {
  const wait::ThreadCall under_way("get_vector");
  detail::make_implicit(rank, get_vector_async(rank, segments), "get_vector_nbi");
}

}  // namespace armature
