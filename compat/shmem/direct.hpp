#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>

#include <armature/layer/direct.hpp>

#include "atomics.hpp"
#include "place.hpp"
#include "rma.hpp"

// The commonest calls: a word in the caller's own heap, at a PE of the node, without a context.
// They are done before anything else is looked at, in a function that calls nothing and so saves
// nothing. All others go to a function apart, which looks at everything once more.

namespace shmem {

using armature::layer::load;
using armature::layer::store;

/// Writes the same place at `pe`, where the caller is a process that is one PE. False: the place
/// must not be used. Whether `address` lies in the caller's heap is not asked: from anywhere but
/// the caller's segment, the way leads to no place that `pe` has.
template <class T>
[[gnu::always_inline]] inline bool find_direct(shmem_ctx_t ctx, T* address, int pe, T*& here) {
  here = reinterpret_cast<T*>(reinterpret_cast<std::uintptr_t>(address) + direct_way.to_first +
                              static_cast<std::uintptr_t>(pe) * direct_way.stride);
  if (ctx != SHMEM_CTX_DEFAULT) [[unlikely]]
    return false;
  return armature::layer::is_direct<sizeof(T)>(pe, here);
}
/// As find_direct, for a word of an atomic.
template <class T>
[[gnu::always_inline]] inline bool find_direct_word(shmem_ctx_t ctx, T* address, int pe, T*& here) {
  if (reinterpret_cast<std::uintptr_t>(address) % sizeof(T) != 0) [[unlikely]]
    return false;
  return find_direct(ctx, address, pe, here);
}
/// As find_direct, for so many bytes, if they are a word's.
[[gnu::always_inline]] inline bool find_direct_bytes(shmem_ctx_t ctx, const void* address,
                                                     std::size_t bytes, int pe, AnyWord*& here) {
  return bytes == sizeof(AnyWord) &&
         find_direct(ctx, static_cast<AnyWord*>(const_cast<void*>(address)), pe, here);
}

template <class T>
[[gnu::always_inline]] inline T swap_at(T* place, T value) {
  using W [[gnu::may_alias]] = Word<T>;
  return std::bit_cast<T>(__atomic_exchange_n(reinterpret_cast<W*>(place),
                                              std::bit_cast<Word<T>>(value), __ATOMIC_SEQ_CST));
}
template <class T>
[[gnu::always_inline]] inline T compare_swap_at(T* place, T expected, T value) {
  __atomic_compare_exchange_n(place, &expected, value, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
  return expected;
}

}  // namespace shmem
