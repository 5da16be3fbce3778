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

// Loads, stores and copies between mapped memories, ordered as the papers ask (armci-rma-2006, 2.4):
// blocking operations to one destination are seen in the order they were issued. On x86 that costs
// nothing: stores are not reordered with stores, nor loads with loads, so the fences below only
// restrain the compiler; elsewhere they are the one instruction that is needed.

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
inline constexpr bool moves_as_one =
    sizeof(T) == alignof(T) && (sizeof(T) == 1 || sizeof(T) == 2 || sizeof(T) == 4 || sizeof(T) == 8);

template <std::size_t bytes>
using Word = std::conditional_t<
    bytes == 1, std::uint8_t,
    std::conditional_t<bytes == 2, std::uint16_t, std::conditional_t<bytes == 4, std::uint32_t, std::uint64_t>>>;

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

/// What memcpy does, for copies of at least copy_large_min bytes; see src/rma/copy_large.cpp.
inline constexpr std::size_t copy_large_min = 2048;
ARMATURE_API void copy_large(void* to, const void* from, std::size_t bytes);

[[gnu::always_inline]] inline void copy(void* to, const void* from, std::size_t bytes) {
  if (bytes < copy_large_min)
    std::memcpy(to, from, bytes);
  else
    copy_large(to, from, bytes);
}

[[gnu::always_inline]] inline void copy_out(void* to, const void* from, std::size_t bytes) {
  std::atomic_thread_fence(std::memory_order_release);
  copy(to, from, bytes);
}

[[gnu::always_inline]] inline void copy_in(void* to, const void* from, std::size_t bytes) {
  copy(to, from, bytes);
  std::atomic_thread_fence(std::memory_order_acquire);
}

/// count * sizeof(T), or a number of bytes that no band holds when that overflows.
template <class T>
[[gnu::always_inline]] constexpr std::size_t bytes_of(std::size_t count) {
  std::size_t bytes = 0;
  return __builtin_mul_overflow(count, sizeof(T), &bytes) ? SIZE_MAX : bytes;
}

/// What is not the fast path: checks in full, reports the caller's mistakes, and then transfers.
ARMATURE_API void put_slow(Rank rank, void* to, const void* from, std::size_t bytes, const char* call);
ARMATURE_API void get_slow(Rank rank, void* to, const void* from, std::size_t bytes, const char* call);

}  // namespace armature::detail
