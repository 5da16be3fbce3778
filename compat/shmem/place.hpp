#pragma once

#include <cstddef>
#include <cstdint>

#include <armature/global_ptr.hpp>

#include "extent.hpp"
#include "shmem.h"

// From a symmetric address to the same place at another PE. Heaps lie at one place in all segments,
// and segments are a power of two apart. So the address of any PE's heap gives all others, whoever
// calls: neither the caller's number nor a table by rank is asked for, and virtual ranks cost
// nothing more.

namespace shmem {

/// Answers for what the extent does not hold: a process that does not know it yet, or an address
/// that is not symmetric, which throws Error(bad_address).
void* same_place_slow(const void* address, int pe);

/// The world's number of a PE of a context's team. Throws Error(bad_rank), Error(bad_argument).
int pe_in_world(shmem_ctx_t ctx, int pe);

[[gnu::always_inline]] inline int world_pe(shmem_ctx_t ctx, int pe) {
  return ctx == SHMEM_CTX_DEFAULT ? pe : pe_in_world(ctx, pe);
}

/// Returns the same place at `pe`, which may be no PE: then no transfer accepts the result.
template <class T>
[[gnu::always_inline]] inline armature::global_ptr<T> at_pe(T* address, int pe) {
  // Acquire: who sees the bytes of a block sees the begin that was stored before them.
  const std::size_t bytes = heap_extent.bytes.load(std::memory_order_acquire);
  const std::uintptr_t begin = heap_extent.begin.load(std::memory_order_relaxed);
  const int bits = heap_extent.stride_bits.load(std::memory_order_relaxed);
  const std::uintptr_t distance = reinterpret_cast<std::uintptr_t>(address) - begin;
  const std::uintptr_t offset = distance & ((std::uintptr_t{1} << bits) - 1);
  if (offset >= bytes || distance >= heap_extent.span.load(std::memory_order_relaxed)) [[unlikely]]
    return {pe, static_cast<T*>(same_place_slow(address, pe))};
  return {pe, reinterpret_cast<T*>(begin + offset + (static_cast<std::uintptr_t>(pe) << bits))};
}
template <class T>
[[gnu::always_inline]] inline armature::global_ptr<T> at_pe(shmem_ctx_t ctx, T* address, int pe) {
  return at_pe(address, world_pe(ctx, pe));
}

}  // namespace shmem
