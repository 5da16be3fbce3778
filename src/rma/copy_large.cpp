#include <cstddef>
#include <cstdint>
#include <cstring>
#include <fstream>

#include "armature/detail/transfer.hpp"
#include "base/runtime.hpp"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

// Copies of more than 2 KiB. The C library's memcpy is as fast as the machine, with two exceptions
// that one-sided memory meets all the time:
//   * Above 2 KiB it uses `rep movsb` where the processor claims to be good at it. On AMD Zen 3 and
//     4 that is 20 to 60 times slower when the target lies a few bytes further into its page than
//     the source: a get from a page-aligned allocation into a std::vector, whose memory starts 16
//     bytes into a page (4 KiB: 1400 ns instead of 50).
//   * It counts on caches that hold both buffers for longer than they do: source and target of
//     16 MiB fill a cache of 32 MiB, and storing past it takes two thirds of the time.
// So here is a plain vector loop, and from a size that depends on the cache, one that stores past
// it. A tunable of the C library (glibc.cpu.x86_rep_movsb_threshold) was rejected: only a process's
// parent can set it, and it is not ours to set.

namespace armature::detail {

namespace {

void copy_by_libc(void* to, const void* from, std::size_t bytes) { std::memcpy(to, from, bytes); }

#if defined(__x86_64__)

#pragma GCC push_options
#pragma GCC target("avx2")

using Vector = __m256i;
constexpr std::size_t line_bytes = 64;
constexpr std::size_t block_bytes = 128;

inline Vector load(const std::byte* from) {
  return _mm256_loadu_si256(reinterpret_cast<const __m256i_u*>(from));
}
inline void store(std::byte* to, Vector value) {
  _mm256_storeu_si256(reinterpret_cast<__m256i_u*>(to), value);
}
template <bool past_cache>
inline void store_aligned(std::byte* to, Vector value) {
  auto* at = reinterpret_cast<__m256i*>(to);
  if constexpr (past_cache)
    _mm256_stream_si256(at, value);
  else
    _mm256_store_si256(at, value);
}

/// Whole blocks to whole cache lines of the target; then the ends, which were read first and
/// overlap them.
template <bool past_cache>
void copy_by_vectors(void* to_start, const void* from_start, std::size_t bytes) {
  auto* to = static_cast<std::byte*>(to_start);
  const auto* from = static_cast<const std::byte*>(from_start);
  const auto* from_tail = from + bytes - block_bytes;
  const Vector head[] = {load(from), load(from + 32)};
  const Vector tail[] = {load(from_tail), load(from_tail + 32), load(from_tail + 64),
                         load(from_tail + 96)};

  const std::size_t skip = line_bytes - reinterpret_cast<std::uintptr_t>(to) % line_bytes;
  for (std::size_t i = skip; i + block_bytes < bytes; i += block_bytes) {
    const auto* block = from + i;
    const Vector a = load(block), b = load(block + 32), c = load(block + 64), d = load(block + 96);
    if constexpr (past_cache) _mm_prefetch(block + 4 * block_bytes, _MM_HINT_NTA);
    store_aligned<past_cache>(to + i, a);
    store_aligned<past_cache>(to + i + 32, b);
    store_aligned<past_cache>(to + i + 64, c);
    store_aligned<past_cache>(to + i + 96, d);
  }
  if constexpr (past_cache) _mm_sfence();  // or these stores could be seen after later ones

  auto* to_tail = to + bytes - block_bytes;
  for (std::size_t i = 0; i < 2; ++i) store(to + 32 * i, head[i]);
  for (std::size_t i = 0; i < 4; ++i) store(to_tail + 32 * i, tail[i]);
}

#pragma GCC pop_options

#endif

/// Where storing past the cache begins to pay: source and target fill three quarters of the last
/// cache.
std::size_t past_cache_min() {
  // Not sysconf(_SC_LEVEL3_CACHE_SIZE): on AMD it adds up caches that this core does not reach.
  std::ifstream file("/sys/devices/system/cpu/cpu0/cache/index3/size");  // "32768K"
  std::size_t cache_kibibytes = 0;
  if (!(file >> cache_kibibytes)) cache_kibibytes = 32768;
  return cache_kibibytes * 1024 / 8 * 3;
}

struct PastCache {
  std::size_t min = past_cache_min();
};

template <bool past_cache>
void copy(void* to, const void* from, std::size_t bytes) {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx2")) return copy_by_vectors<past_cache>(to, from, bytes);
#endif
  copy_by_libc(to, from, bytes);
}

}  // namespace

void copy_large(void* to, const void* from, std::size_t bytes) {
  constexpr std::size_t always_cached_max = std::size_t{1} << 20;
  if (bytes <= always_cached_max || bytes < base::state<PastCache>().min)
    return copy<false>(to, from, bytes);
  copy<true>(to, from, bytes);
}

}  // namespace armature::detail
