#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

// The ways to copy more than 2 KiB. Each is a file of its own; which of them serves a copy says the
// node's choice (choice.hpp).

namespace armature::copies {

/// Numbers are shared by the processes of a node: of one build, but not all able to execute the
/// same instructions (one may run on valgrind).
enum class Way : std::uint8_t { libc, rep_movsb, avx2, avx2_past_cache, avx512, avx512_past_cache };
inline constexpr std::size_t ways = 6;

/// More than 2 KiB. Source and target do not overlap, unless they are the same. What is stored is
/// seen behind what the caller has stored before, and before what it stores later.
using Copy = void (*)(void* to, const void* from, std::size_t bytes);

struct Candidate {
  const char* name;
  bool past_cache;     // stores past the cache: for copies that no cache holds
  bool (*is_there)();  // whether this processor has the instructions
  Copy copy;           // must not be called where it has not
};
extern const std::array<Candidate, ways> candidates;

inline const Candidate& candidate(Way way) { return candidates[static_cast<std::size_t>(way)]; }

/// Throws Error(start) that names the ways there are, for a word that is none of them, or one that
/// this processor has not.
Way way_of(std::string_view name);

/// Serves where nothing was chosen.
Way usual_way(bool past_cache);

void copy_by_libc(void* to, const void* from, std::size_t bytes);
#if defined(__x86_64__)
void copy_by_rep_movsb(void* to, const void* from, std::size_t bytes);
template <bool past_cache>
void copy_by_avx2(void* to, const void* from, std::size_t bytes);
template <bool past_cache>
void copy_by_avx512(void* to, const void* from, std::size_t bytes);
extern template void copy_by_avx2<false>(void*, const void*, std::size_t);
extern template void copy_by_avx2<true>(void*, const void*, std::size_t);
extern template void copy_by_avx512<false>(void*, const void*, std::size_t);
extern template void copy_by_avx512<true>(void*, const void*, std::size_t);
#endif

}  // namespace armature::copies
