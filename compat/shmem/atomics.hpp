#pragma once

#include <bit>
#include <concepts>
#include <cstdint>
#include <type_traits>

#include <armature/atomic.hpp>
#include <armature/get.hpp>
#include <armature/put.hpp>

#include "place.hpp"

// Atomics. A float or double is its bits: it is only fetched, set and swapped.

namespace shmem {

template <class T>
using Word = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;

/// Reads the word by an operation that is told of as an atomic: a load or store is not.
template <class T>
[[gnu::noinline, gnu::cold]] T atomic_fetch_told(shmem_ctx_t ctx, const T* source, int pe) {
  auto* const word = reinterpret_cast<Word<T>*>(const_cast<T*>(source));
  return std::bit_cast<T>(armature::fetch_or(at_pe(ctx, word, pe), 0));
}
template <class T>
[[gnu::noinline, gnu::cold]] void atomic_set_told(shmem_ctx_t ctx, T* dest, T value, int pe) {
  auto* const word = reinterpret_cast<Word<T>*>(dest);
  (void)armature::swap(at_pe(ctx, word, pe), std::bit_cast<Word<T>>(value));
}

template <class T>
[[gnu::always_inline]] inline T atomic_fetch(shmem_ctx_t ctx, const T* source, int pe) {
  if (looks_for_races) [[unlikely]]
    return atomic_fetch_told(ctx, source, pe);
  return with_place(ctx, source, pe, [=](auto from) { return armature::get(from); });
}
template <class T>
[[gnu::always_inline]] inline void atomic_set(shmem_ctx_t ctx, T* dest, T value, int pe) {
  if (looks_for_races) [[unlikely]]
    return atomic_set_told(ctx, dest, value, pe);
  with_place(ctx, dest, pe, [=](auto to) { armature::put(to, value); });
}
template <class T>
[[gnu::always_inline]] inline T atomic_swap(shmem_ctx_t ctx, T* dest, T value, int pe) {
  if constexpr (std::integral<T>) {
    return with_place(ctx, dest, pe, [=](auto word) { return armature::swap(word, value); });
  } else {
    auto* const word = reinterpret_cast<Word<T>*>(dest);
    return std::bit_cast<T>(armature::swap(at_pe(ctx, word, pe), std::bit_cast<Word<T>>(value)));
  }
}
template <std::integral T>
[[gnu::always_inline]] inline T atomic_compare_swap(shmem_ctx_t ctx, T* dest, T cond, T value,
                                                    int pe) {
  return with_place(ctx, dest, pe,
                    [=](auto word) { return armature::compare_swap(word, cond, value); });
}
template <std::integral T>
[[gnu::always_inline]] inline T atomic_fetch_add(shmem_ctx_t ctx, T* dest, T value, int pe) {
  return with_place(ctx, dest, pe, [=](auto word) { return armature::fetch_add(word, value); });
}
template <std::integral T>
[[gnu::always_inline]] inline T atomic_fetch_and(shmem_ctx_t ctx, T* dest, T value, int pe) {
  return with_place(ctx, dest, pe, [=](auto word) { return armature::fetch_and(word, value); });
}
template <std::integral T>
[[gnu::always_inline]] inline T atomic_fetch_or(shmem_ctx_t ctx, T* dest, T value, int pe) {
  return with_place(ctx, dest, pe, [=](auto word) { return armature::fetch_or(word, value); });
}
template <std::integral T>
[[gnu::always_inline]] inline T atomic_fetch_xor(shmem_ctx_t ctx, T* dest, T value, int pe) {
  return with_place(ctx, dest, pe, [=](auto word) { return armature::fetch_xor(word, value); });
}

}  // namespace shmem
