#pragma once

#include <array>
#include <cstddef>

#include <armature/get.hpp>
#include <armature/put.hpp>

#include "place.hpp"

// Puts and gets. What lies on the node is stored and loaded right here: a call costs the search for
// the place and the copy. Addresses may be null where nothing is to be moved.

namespace shmem {

template <class T>
[[gnu::always_inline]] inline void put_value(shmem_ctx_t ctx, T* dest, T value, int pe) {
  with_place(ctx, dest, pe, [=](auto to) { armature::put(to, value); });
}
template <class T>
[[gnu::always_inline]] inline T get_value(shmem_ctx_t ctx, const T* source, int pe) {
  return with_place(ctx, source, pe, [=](auto from) { return armature::get(from); });
}

/// A word at any address. Words are the commonest of what is moved, and moved as values: with a
/// length that is known, no copy has to be chosen.
using AnyWord = std::array<std::byte, 8>;

[[gnu::always_inline]] inline void put(shmem_ctx_t ctx, void* dest, const void* source,
                                       std::size_t bytes, int pe) {
  if (bytes == sizeof(AnyWord))
    return put_value(ctx, static_cast<AnyWord*>(dest), *static_cast<const AnyWord*>(source), pe);
  if (bytes == 0) return;
  with_place(ctx, dest, pe, [=](auto to) { armature::put_bytes(to, source, bytes); });
}
[[gnu::always_inline]] inline void get(shmem_ctx_t ctx, void* dest, const void* source,
                                       std::size_t bytes, int pe) {
  if (bytes == sizeof(AnyWord)) {
    *static_cast<AnyWord*>(dest) = get_value(ctx, static_cast<const AnyWord*>(source), pe);
    return;
  }
  if (bytes == 0) return;
  with_place(ctx, source, pe, [=](auto from) { armature::get_bytes(dest, from, bytes); });
}
[[gnu::always_inline]] inline void put_nbi(shmem_ctx_t ctx, void* dest, const void* source,
                                           std::size_t bytes, int pe) {
  if (bytes == 0) return;
  const armature::global_ptr<void> to = at_pe(ctx, dest, pe);
  armature::put_nbi(
      armature::global_ptr<std::byte>(to.rank(), static_cast<std::byte*>(to.address())),
      static_cast<const std::byte*>(source), bytes);
}
[[gnu::always_inline]] inline void get_nbi(shmem_ctx_t ctx, void* dest, const void* source,
                                           std::size_t bytes, int pe) {
  if (bytes == 0) return;
  const armature::global_ptr<const void> from = at_pe(ctx, source, pe);
  armature::get_nbi(static_cast<std::byte*>(dest),
                    armature::global_ptr<const std::byte>(
                        from.rank(), static_cast<const std::byte*>(from.address())),
                    bytes);
}

/// Blocks of elements, so many elements from one's begin to the next one's.
struct Blocks {
  std::ptrdiff_t dest_stride, source_stride;
  std::size_t elements, count, element_bytes;
};
void put_blocks(shmem_ctx_t ctx, void* dest, const void* source, const Blocks& blocks, int pe);
void get_blocks(shmem_ctx_t ctx, void* dest, const void* source, const Blocks& blocks, int pe);

}  // namespace shmem
