#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>

#include "copies/kind.hpp"
#include "copies/way.hpp"

// A trial finds the best way on a processor that nobody knows: all are tried, in turns. It is made
// for copies that a cache holds, on memory of its own. Bytes that are to be copied may never have
// been touched, and then take as long by every way. No such trial is made for longer ones, which
// would take too long: the first of them is copied in parts, each in another way.

namespace armature::copies {

/// The most that trials of all kinds together copy beyond what is to be copied: at 20 GB/s, which
/// is what these processors do in their caches, a millisecond.
inline constexpr std::uint64_t bytes_tried_max = std::uint64_t{18} << 20;
/// A trial ends after that long with what it knows, when its memory is there, whatever the machine
/// does meanwhile.
inline constexpr std::uint64_t trial_ns_max = 250'000;

/// Nanoseconds that so many bytes took by that way.
using Sample = std::function<double(Way way, std::size_t bytes)>;

/// All ways that this processor has for such copies take turns: each is given `probe` bytes, and
/// those that did not take much longer than the best `rounds` times `bytes`. Returns which was the
/// best at its best; the usual one unless another is better by more than `margin`.
struct Turns {
  std::size_t probe = 0, bytes = 0;
  int rounds = 0;
  double margin = 0;
};
[[nodiscard]] Way best_of(bool past_cache, const Turns& turns, const Sample& sample);

struct Tried {
  Way way = Way::libc;
  std::uint64_t bytes = 0;  // beyond those that were to be copied
};
/// Tries a kind that a cache holds.
[[nodiscard]] Tried try_in_cache(Kind kind);
/// Copies all of it: more than always_cached_max.
[[nodiscard]] Tried try_past_cache(void* to, const void* from, std::size_t bytes);

}  // namespace armature::copies
