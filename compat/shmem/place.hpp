#pragma once

#include <cstddef>
#include <cstdint>

#include <armature/global_ptr.hpp>

#include "extent.hpp"
#include "shmem.h"

// From a symmetric address to the same place at another PE. Heaps and variables lie at one place in
// all segments, and segments are a power of two apart. So the address of any PE's heap gives all
// others, whoever calls: neither the caller's number nor a table by rank is asked for, and virtual
// ranks cost nothing more.

namespace shmem {

/// Answers for what the extent does not hold: a process that does not know it yet, or an address
/// that is not symmetric, which throws Error(bad_address).
void* same_place_slow(const void* address, int pe);

/// The world's number of a PE of a context's team. Throws Error(bad_rank), Error(bad_argument).
int pe_in_world(shmem_ctx_t ctx, int pe);

[[gnu::always_inline]] inline int world_pe(shmem_ctx_t ctx, int pe) {
  return ctx == SHMEM_CTX_DEFAULT ? pe : pe_in_world(ctx, pe);
}

/// As find_place, for a variable of the program at its own address.
template <class T>
[[gnu::always_inline]] inline bool find_static(T* address, int pe, armature::global_ptr<T>& place) {
  const std::size_t bytes = statics_extent.bytes.load(std::memory_order_acquire);
  const std::uintptr_t offset = reinterpret_cast<std::uintptr_t>(address) -
                                statics_extent.own.load(std::memory_order_relaxed);
  if (offset >= bytes) return false;
  place = {pe, reinterpret_cast<T*>(statics_extent.begin.load(std::memory_order_relaxed) + offset +
                                    (static_cast<std::uintptr_t>(pe)
                                     << heap_extent.stride_bits.load(std::memory_order_relaxed)))};
  return true;
}

/// As find_place, for an address in any PE's heap.
template <class T>
[[gnu::always_inline]] inline bool find_in_any(T* address, int pe, armature::global_ptr<T>& place) {
  // Acquire: who sees the bytes of a block sees the begin that was stored before them.
  const std::size_t bytes = heap_extent.bytes.load(std::memory_order_acquire);
  const std::uintptr_t begin = heap_extent.begin.load(std::memory_order_relaxed);
  const int bits = heap_extent.stride_bits.load(std::memory_order_relaxed);
  const std::uintptr_t distance = reinterpret_cast<std::uintptr_t>(address) - begin;
  const std::uintptr_t offset = distance & ((std::uintptr_t{1} << bits) - 1);
  if (offset >= bytes || distance >= heap_extent.span.load(std::memory_order_relaxed)) [[unlikely]]
    return find_static(address, pe, place);
  place = {pe, reinterpret_cast<T*>(begin + offset + (static_cast<std::uintptr_t>(pe) << bits))};
  return true;
}

/// Writes the same place at `pe`, which may be no PE: then no transfer accepts it. False: the
/// extent does not hold the address.
template <class T>
[[gnu::always_inline]] inline bool find_place(T* address, int pe, armature::global_ptr<T>& place) {
  // A process that is one PE gives addresses of its own heap. Acquire: as above.
  const std::size_t own_bytes = heap_extent.own_bytes.load(std::memory_order_acquire);
  const auto named = reinterpret_cast<std::uintptr_t>(address);
  if (named - heap_extent.own.load(std::memory_order_relaxed) >= own_bytes) [[unlikely]]
    return find_in_any(address, pe, place);
  const std::uintptr_t shift = static_cast<std::uintptr_t>(pe)
                               << heap_extent.stride_bits.load(std::memory_order_relaxed);
  place = {pe, reinterpret_cast<T*>(named + heap_extent.to_first.load(std::memory_order_relaxed) +
                                    shift)};
  return true;
}
template <class T>
[[nodiscard]] armature::global_ptr<T> place_by_slow(T* address, int pe) {
  return {pe, static_cast<T*>(same_place_slow(address, pe))};
}

/// Returns the same place at `pe`.
template <class T>
[[gnu::always_inline]] inline armature::global_ptr<T> at_pe(T* address, int pe) {
  armature::global_ptr<T> place;
  return find_place(address, pe, place) ? place : place_by_slow(address, pe);
}
template <class T>
[[gnu::always_inline]] inline armature::global_ptr<T> at_pe(shmem_ctx_t ctx, T* address, int pe) {
  return at_pe(address, world_pe(ctx, pe));
}

/// Returns transfer(the same place at `pe`), for transfers that are short. The slow way does not
/// come back to the fast one, which so has nothing to save for a call. `transfer` is copied there.
template <class T, class Transfer>
[[gnu::noinline, gnu::cold]] auto with_place_by_slow(T* address, int pe, Transfer transfer) {
  return transfer(place_by_slow(address, pe));
}
template <class T, class Transfer>
[[gnu::always_inline]] inline auto with_place(shmem_ctx_t ctx, T* address, int pe,
                                              Transfer transfer) {
  armature::global_ptr<T> place;
  const int rank = world_pe(ctx, pe);
  if (!find_place(address, rank, place)) [[unlikely]]
    return with_place_by_slow(address, rank, transfer);
  return transfer(place);
}

}  // namespace shmem
