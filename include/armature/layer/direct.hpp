#pragma once

#include <cstddef>

#include "armature/detail/transfer.hpp"
#include "armature/rank.hpp"

// The inlined half of put and get, for layers whose own calls must cost no more. All of it may be
// called by any thread; what is not done here the calls of put.hpp and get.hpp do, which also say
// what is wrong with an address.

namespace armature::layer {

/// Whether these bytes of that rank may be loaded and stored as they are: they lie in what it has
/// allocated, in memory that is mapped here. Any rank number and any address may be asked about.
template <std::size_t bytes>
[[gnu::always_inline, nodiscard]] inline bool is_direct(Rank rank, const void* address) {
  return armature::detail::reachable<bytes>(rank, address);
}
[[gnu::always_inline, nodiscard]] inline bool is_direct(Rank rank, const void* address,
                                                        std::size_t bytes) {
  return armature::detail::reachable(rank, address, bytes);
}

/// The put of `bytes` bytes to `to`, which is at `rank`, where is_direct holds: complete at once.
/// False, and nothing is done, elsewhere.
[[gnu::always_inline, nodiscard]] inline bool put_direct(Rank rank, void* to, const void* from,
                                                         std::size_t bytes) {
  return armature::detail::put_fast(rank, to, from, bytes);
}
/// The get of `bytes` bytes from `from`, which is at `rank`, in the same way.
[[gnu::always_inline, nodiscard]] inline bool get_direct(Rank rank, void* to, const void* from,
                                                         std::size_t bytes) {
  return armature::detail::get_fast(rank, to, from, bytes);
}

/// Stores one value where is_direct holds, in the order that puts and gets have. A value of 1, 2, 4
/// or 8 naturally aligned bytes moves as one: nobody sees half of it.
template <class T>
[[gnu::always_inline]] inline void store(T* to, const T& value) {
  armature::detail::store(to, value);
}
template <class T>
[[gnu::always_inline, nodiscard]] inline T load(const T* from) {
  return armature::detail::load(from);
}

}  // namespace armature::layer
