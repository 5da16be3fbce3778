// Scatter and gather by address lists. All addresses are checked before anything moves: a pass over the
// remote list that finds the lowest and the highest, which the machine does several at a time, and one check
// of that range. Only when the range is bad is it worth asking which address was.
#include <fmt/format.h>

#include <atomic>
#include <cstring>

#include "armature/detail/view.hpp"
#include "armature/segments.hpp"
#include "base/fail.hpp"
#include "progress/rank_context.hpp"
#include "rma/clones.hpp"
#include "rma/segments.hpp"

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

template <std::size_t bytes>
[[gnu::always_inline]] inline void copy_fixed(void* const* to, const void* const* from, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) std::memcpy(to[i], from[i], bytes);
}

}  // namespace

ARMATURE_CLONES
void copy_segments(void* const* to, const void* const* from, std::size_t count, std::size_t bytes) {
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
      for (std::size_t i = 0; i < count; ++i) std::memcpy(to[i], from[i], bytes);
  }
}

void check_segments(Rank rank, std::span<const Segments> segments, Remote side, const char* call) {
  if (segments.empty()) progress::this_rank(call).space.require_rank(rank, call);
  for (const Segments& s : segments) {
    if (s.to.size() != s.from.size())
      base::fail(Errc::bad_argument, fmt::format("{}: {} target and {} source addresses: they must be as many", call,
                                                 s.to.size(), s.from.size()));
    const std::size_t count = s.to.size();
    const void* const* remote = side == Remote::to ? reinterpret_cast<const void* const*>(s.to.data()) : s.from.data();
    if (count == 0) continue;
    const Range range = range_of(remote, count);
    std::size_t span = 0;
    const bool overflow = __builtin_add_overflow(range.high - range.low, s.bytes, &span);
    if (!overflow && detail::reachable(rank, reinterpret_cast<const void*>(range.low), span)) [[likely]]
      continue;
    const space::AddressSpace& space = progress::this_rank(call).space;
    for (std::size_t i = 0; i < count; ++i) space.require(rank, remote[i], s.bytes, call);
  }
}

}  // namespace rma

void put_vector(Rank rank, std::span<const Segments> segments) {
  rma::check_segments(rank, segments, rma::Remote::to, "put_vector");
  std::atomic_thread_fence(std::memory_order_release);
  for (const Segments& s : segments) rma::copy_segments(s.to.data(), s.from.data(), s.to.size(), s.bytes);
}

void get_vector(Rank rank, std::span<const Segments> segments) {
  rma::check_segments(rank, segments, rma::Remote::from, "get_vector");
  for (const Segments& s : segments) rma::copy_segments(s.to.data(), s.from.data(), s.to.size(), s.bytes);
  std::atomic_thread_fence(std::memory_order_acquire);
}

Handle put_vector_async(Rank rank, std::span<const Segments> segments) {
  put_vector(rank, segments);
  return {};
}
Handle get_vector_async(Rank rank, std::span<const Segments> segments) {
  get_vector(rank, segments);
  return {};
}
void put_vector_nbi(Rank rank, std::span<const Segments> segments) { put_vector(rank, segments); }
void get_vector_nbi(Rank rank, std::span<const Segments> segments) { get_vector(rank, segments); }

}  // namespace armature
