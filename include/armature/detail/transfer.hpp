#pragma once

#include <atomic>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <ranges>
#include <type_traits>

#include "armature/detail/export.hpp"
#include "armature/detail/view.hpp"
#include "armature/global_ptr.hpp"

// Loads, stores and copies between mapped memories, ordered as the papers ask (armci-rma-2006,
// 2.4): blocking operations to one destination are seen in the order they were issued. On x86 that
// costs nothing: stores are not reordered with stores, nor loads with loads, so the fences below
// only restrain the compiler. Elsewhere they are the one instruction that is needed. Copies that
// store past the cache fence for themselves.

namespace armature::detail {

/// Contiguous memory of trivially copyable elements: vector, array, span, string...
template <class R, class T>
concept Buffer = std::ranges::contiguous_range<R> && std::ranges::sized_range<R> &&
    std::same_as<std::remove_cv_t<std::ranges::range_value_t<R>>, std::remove_cv_t<T>>;

template <class R, class T>
concept WritableBuffer =
    Buffer<R, T> && !std::is_const_v<std::remove_reference_t<std::ranges::range_reference_t<R>>>;

/// Values of 1, 2, 4 or 8 naturally aligned bytes move as one: never seen half written.
template <class T>
inline constexpr bool moves_as_one = sizeof(T) == alignof(T) && (sizeof(T) == 1 || sizeof(T) == 2 ||
                                                                 sizeof(T) == 4 || sizeof(T) == 8);

template <std::size_t bytes>
using Word = std::conditional_t<
    bytes == 1, std::uint8_t,
    std::conditional_t<bytes == 2, std::uint16_t,
                       std::conditional_t<bytes == 4, std::uint32_t, std::uint64_t>>>;

template <class T>
[[gnu::always_inline]] inline void store(T* to, const T& value) {
  if constexpr (moves_as_one<T>) {
    using W [[gnu::may_alias]] = Word<sizeof(T)>;
    W word;
    std::memcpy(&word, &value, sizeof word);
    __atomic_store_n(reinterpret_cast<W*>(to), word, __ATOMIC_RELEASE);
  } else {
    std::atomic_thread_fence(std::memory_order_release);
    std::memcpy(to, &value, sizeof(T));
  }
}

template <class T>
[[gnu::always_inline]] inline T load(const T* from) {
  T value;
  if constexpr (moves_as_one<T>) {
    using W [[gnu::may_alias]] = Word<sizeof(T)>;
    const W word = __atomic_load_n(reinterpret_cast<const W*>(from), __ATOMIC_ACQUIRE);
    std::memcpy(&value, &word, sizeof value);
  } else {
    std::memcpy(&value, from, sizeof(T));
    std::atomic_thread_fence(std::memory_order_acquire);
  }
  return value;
}

/// Sixteen bytes in a register.
using Block [[gnu::vector_size(16)]] = std::uint64_t;

/// The first and the last W of `bytes` bytes, which overlap where those are fewer than two; all
/// reads first.
template <class W>
[[gnu::always_inline]] inline void copy_ends(std::byte* to, const std::byte* from,
                                             std::size_t bytes) {
  W first, last;
  std::memcpy(&first, from, sizeof first);
  std::memcpy(&last, from + bytes - sizeof last, sizeof last);
  std::memcpy(to, &first, sizeof first);
  std::memcpy(to + bytes - sizeof last, &last, sizeof last);
}

/// Limits copies without a call: memcpy's would take longer than the copy.
inline constexpr std::size_t copy_short_max = 64;
[[gnu::always_inline]] inline void copy_short(void* to_start, const void* from_start,
                                              std::size_t bytes) {
  auto* to = static_cast<std::byte*>(to_start);
  const auto* from = static_cast<const std::byte*>(from_start);
  if (bytes - 8 <= 8) return copy_ends<std::uint64_t>(to, from, bytes);  // 8 to 16, the commonest
  if (bytes > 2 * sizeof(Block)) {
    Block a, b, c, d;
    std::memcpy(&a, from, sizeof a);
    std::memcpy(&b, from + sizeof a, sizeof b);
    std::memcpy(&c, from + bytes - 2 * sizeof c, sizeof c);
    std::memcpy(&d, from + bytes - sizeof d, sizeof d);
    std::memcpy(to, &a, sizeof a);
    std::memcpy(to + sizeof a, &b, sizeof b);
    std::memcpy(to + bytes - 2 * sizeof c, &c, sizeof c);
    std::memcpy(to + bytes - sizeof d, &d, sizeof d);
  } else if (bytes > sizeof(Block)) {
    copy_ends<Block>(to, from, bytes);
  } else if (bytes >= 4) {
    copy_ends<std::uint32_t>(to, from, bytes);
  } else if (bytes >= 2) {
    copy_ends<std::uint16_t>(to, from, bytes);
  } else if (bytes == 1) {
    *to = *from;
  }
}

/// More than copy_libc_max bytes; see src/rma/copy_large.cpp.
inline constexpr std::size_t copy_libc_max = 2048;
ARMATURE_API void copy_large(void* to, const void* from, std::size_t bytes);

[[gnu::always_inline]] inline void copy_long(void* to, const void* from, std::size_t bytes) {
  if (bytes <= copy_libc_max)
    std::memcpy(to, from, bytes);
  else
    copy_large(to, from, bytes);
}

/// Copies as memcpy does.
[[gnu::always_inline]] inline void copy(void* to, const void* from, std::size_t bytes) {
  if (bytes <= copy_short_max)
    copy_short(to, from, bytes);
  else
    copy_long(to, from, bytes);
}

[[gnu::always_inline]] inline void copy_out(void* to, const void* from, std::size_t bytes) {
  std::atomic_thread_fence(std::memory_order_release);
  copy(to, from, bytes);
}

[[gnu::always_inline]] inline void copy_in(void* to, const void* from, std::size_t bytes) {
  copy(to, from, bytes);
  std::atomic_thread_fence(std::memory_order_acquire);
}

/// The fast path of put and get: false, and nothing done, when the bytes may not be touched
/// directly.
[[gnu::always_inline]] inline bool put_fast(Rank rank, void* to, const void* from,
                                            std::size_t bytes) {
  static_assert(copy_short_max <= SegmentView::extent_min);
  if (bytes <= copy_short_max) {
    if (!reachable_short(rank, to, bytes)) [[unlikely]]
      return false;
    std::atomic_thread_fence(std::memory_order_release);
    copy_short(to, from, bytes);
  } else {
    if (!reachable(rank, to, bytes)) [[unlikely]]
      return false;
    std::atomic_thread_fence(std::memory_order_release);
    copy_long(to, from, bytes);
  }
  return true;
}

[[gnu::always_inline]] inline bool get_fast(Rank rank, void* to, const void* from,
                                            std::size_t bytes) {
  if (bytes <= copy_short_max) {
    if (!reachable_short(rank, from, bytes)) [[unlikely]]
      return false;
    copy_short(to, from, bytes);
  } else {
    if (!reachable(rank, from, bytes)) [[unlikely]]
      return false;
    copy_long(to, from, bytes);
  }
  std::atomic_thread_fence(std::memory_order_acquire);
  return true;
}

/// count * sizeof(T), or a number of bytes that no segment holds when that overflows.
template <class T>
[[gnu::always_inline]] constexpr std::size_t bytes_of(std::size_t count) {
  std::size_t bytes = 0;
  return __builtin_mul_overflow(count, sizeof(T), &bytes) ? SIZE_MAX : bytes;
}

struct Request;

/// The slow path of puts and gets: checks in full, reports the caller's mistakes, and then
/// transfers.
ARMATURE_API void put_slow(Rank rank, void* to, const void* from, std::size_t bytes,
                           const char* call);
/// put_later and put_slow differ in that the caller waits. nullptr: the put is complete.
[[nodiscard]] ARMATURE_API Request* put_later(Rank rank, void* to, const void* from,
                                              std::size_t bytes, const char* call);
ARMATURE_API void get_slow(Rank rank, void* to, const void* from, std::size_t bytes,
                           const char* call);

}  // namespace armature::detail
