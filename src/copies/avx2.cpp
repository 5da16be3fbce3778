#include "copies/way.hpp"

#if defined(__x86_64__)
#include <immintrin.h>

// Whole blocks to whole cache lines of the target; then the ends, which were read first and overlap
// them.

namespace armature::copies {

// Clang knows the attribute alone, which has no effect on a template that was declared without it.
#if !defined(__clang__)
#pragma GCC push_options
#pragma GCC target("avx2")
#endif

namespace {

constexpr std::size_t avx2_line_bytes = 64;

[[gnu::target("avx2")]] inline __m256i load_32(const std::byte* from) {
  return _mm256_loadu_si256(reinterpret_cast<const __m256i_u*>(from));
}
[[gnu::target("avx2")]] inline void store_32(std::byte* to, __m256i value) {
  _mm256_storeu_si256(reinterpret_cast<__m256i_u*>(to), value);
}
template <bool past_cache>
[[gnu::target("avx2")]] inline void store_aligned_32(std::byte* to, __m256i value) {
  auto* at = reinterpret_cast<__m256i*>(to);
  if constexpr (past_cache)
    _mm256_stream_si256(at, value);
  else
    _mm256_store_si256(at, value);
}

template <bool past_cache>
[[gnu::target("avx2")]] inline void copy_by_registers(void* to_start, const void* from_start,
                                                      std::size_t bytes) {
  constexpr std::size_t block_bytes = 128;
  auto* to = static_cast<std::byte*>(to_start);
  const auto* from = static_cast<const std::byte*>(from_start);
  const auto* from_tail = from + bytes - block_bytes;
  const __m256i head[] = {load_32(from), load_32(from + 32)};
  const __m256i tail[] = {load_32(from_tail), load_32(from_tail + 32), load_32(from_tail + 64),
                          load_32(from_tail + 96)};

  if constexpr (past_cache) _mm_sfence();  // or they could be seen before earlier ones
  const std::size_t skip = avx2_line_bytes - reinterpret_cast<std::uintptr_t>(to) % avx2_line_bytes;
  for (std::size_t i = skip; i + block_bytes < bytes; i += block_bytes) {
    const auto* block = from + i;
    const __m256i a = load_32(block), b = load_32(block + 32), c = load_32(block + 64),
                  d = load_32(block + 96);
    if constexpr (past_cache) _mm_prefetch(block + 4 * block_bytes, _MM_HINT_NTA);
    store_aligned_32<past_cache>(to + i, a);
    store_aligned_32<past_cache>(to + i + 32, b);
    store_aligned_32<past_cache>(to + i + 64, c);
    store_aligned_32<past_cache>(to + i + 96, d);
  }
  if constexpr (past_cache) _mm_sfence();  // or these stores could be seen after later ones

  auto* to_tail = to + bytes - block_bytes;
  for (std::size_t i = 0; i < 2; ++i) store_32(to + 32 * i, head[i]);
  for (std::size_t i = 0; i < 4; ++i) store_32(to_tail + 32 * i, tail[i]);
}

}  // namespace

template <bool past_cache>
void copy_by_avx2(void* to, const void* from, std::size_t bytes) {
  copy_by_registers<past_cache>(to, from, bytes);
}

template void copy_by_avx2<false>(void*, const void*, std::size_t);
template void copy_by_avx2<true>(void*, const void*, std::size_t);

#if !defined(__clang__)
#pragma GCC pop_options
#endif

}  // namespace armature::copies
#endif
