// Loads and stores of the program itself, as `oshcc --races` compiles them: the look for unordered
// accesses is told of those to symmetric memory. All others are none of its business.
#include <cstddef>
#include <cstdint>

#include <armature/layer/races.hpp>
#include <armature/run.hpp>

#include "calls.hpp"
#include "extent.hpp"

namespace shmem {
namespace {

/// The PE in whose heap or variables the address lies, or -1.
int owner_of(const void* address) {
  const auto number = reinterpret_cast<std::uintptr_t>(address);
  if (number - statics_extent.own < statics_extent.bytes &&
      statics_extent.own != statics_extent.begin)
    return armature::world().rank();
  const auto lies_in = [&](std::uintptr_t begin, std::size_t bytes) {
    const std::uintptr_t distance = number - begin;
    const std::uintptr_t segment = (std::uintptr_t{1} << heap_extent.stride_bits) - 1;
    if (distance >= heap_extent.span || (distance & segment) >= bytes) return -1;
    return static_cast<int>(distance >> heap_extent.stride_bits);
  };
  const int owner = lies_in(heap_extent.begin, heap_extent.bytes);
  return owner >= 0 ? owner : lies_in(statics_extent.begin, statics_extent.bytes);
}

}  // namespace
}  // namespace shmem

extern "C" void shmem_has_accessed(const void* address, std::size_t bytes, int is_store,
                                   const void* place) {
  if (!shmem::looks_for_races || !armature::initialized()) return;
  const int owner = shmem::owner_of(address);
  if (owner < 0) return;
  const armature::Rank rank(owner);
  shmem::insisted(is_store != 0 ? "a store" : "a load", [&] {
    if (is_store != 0)
      armature::layer::writes(rank, address, bytes, place);
    else
      armature::layer::reads(rank, address, bytes, place);
  });
}
