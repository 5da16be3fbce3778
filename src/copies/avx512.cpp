#include "copies/way.hpp"

#if defined(__x86_64__)
#include <immintrin.h>

// The loop of avx2.cpp with registers as wide as a cache line.

namespace armature::copies {

// Clang knows the attribute alone, which has no effect on a template that was declared without it.
#if !defined(__clang__)
#pragma GCC push_options
#pragma GCC target("avx512f")
#endif

namespace {

constexpr std::size_t register_bytes = 64;

[[gnu::target("avx512f")]] inline __m512i load_64(const std::byte* from) {
  return _mm512_loadu_si512(from);
}
template <bool past_cache>
[[gnu::target("avx512f")]] inline void store_aligned_64(std::byte* to, __m512i value) {
  if constexpr (past_cache)
    _mm512_stream_si512(reinterpret_cast<__m512i*>(to), value);
  else
    _mm512_store_si512(to, value);
}

template <bool past_cache>
[[gnu::target("avx512f")]] inline void copy_by_registers(void* to_start, const void* from_start,
                                                         std::size_t bytes) {
  constexpr std::size_t block_bytes = 4 * register_bytes;
  auto* to = static_cast<std::byte*>(to_start);
  const auto* from = static_cast<const std::byte*>(from_start);
  const auto* from_tail = from + bytes - block_bytes;
  const __m512i head = load_64(from);
  const __m512i tail[] = {load_64(from_tail), load_64(from_tail + register_bytes),
                          load_64(from_tail + 2 * register_bytes),
                          load_64(from_tail + 3 * register_bytes)};

  if constexpr (past_cache) _mm_sfence();  // or they could be seen before earlier ones
  // A register is a cache line.
  const std::size_t skip = register_bytes - reinterpret_cast<std::uintptr_t>(to) % register_bytes;
  for (std::size_t i = skip; i + block_bytes < bytes; i += block_bytes) {
    const auto* block = from + i;
    const __m512i a = load_64(block), b = load_64(block + register_bytes),
                  c = load_64(block + 2 * register_bytes), d = load_64(block + 3 * register_bytes);
    if constexpr (past_cache) _mm_prefetch(block + 2 * block_bytes, _MM_HINT_NTA);
    store_aligned_64<past_cache>(to + i, a);
    store_aligned_64<past_cache>(to + i + register_bytes, b);
    store_aligned_64<past_cache>(to + i + 2 * register_bytes, c);
    store_aligned_64<past_cache>(to + i + 3 * register_bytes, d);
  }
  if constexpr (past_cache) _mm_sfence();  // or these stores could be seen after later ones

  auto* to_tail = to + bytes - block_bytes;
  _mm512_storeu_si512(to, head);
  for (std::size_t i = 0; i < 4; ++i) _mm512_storeu_si512(to_tail + register_bytes * i, tail[i]);
}

}  // namespace

template <bool past_cache>
void copy_by_avx512(void* to, const void* from, std::size_t bytes) {
  copy_by_registers<past_cache>(to, from, bytes);
}

template void copy_by_avx512<false>(void*, const void*, std::size_t);
template void copy_by_avx512<true>(void*, const void*, std::size_t);

#if !defined(__clang__)
#pragma GCC pop_options
#endif

}  // namespace armature::copies
#endif
