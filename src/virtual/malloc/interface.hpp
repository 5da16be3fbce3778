#pragma once

#include <cstddef>
#include <cstdint>

// What libarmature asks of libarmature-malloc.so, which `armature run --virtual` loads into every
// process: found by name at run time, since a program without virtual ranks has no use for it.

namespace armature::space {
class RankHeap;
}

namespace armature::fibers {

/// Where the heaps of the ranks lie.
struct HeapPlaces {
  std::uintptr_t base = 0;  // of the first band
  std::size_t band_bytes = 0;
  std::size_t bands = 0;
  std::size_t offset = 0;  // of the heap in each band, before its shift
};

struct MallocLibrary {
  /// From which heap malloc takes on this thread; nullptr in it: the process's.
  space::RankHeap** current;
  void (*set_places)(const HeapPlaces& places);
};

/// extern "C" MallocLibrary armature_malloc_library(): of the calling thread.
inline constexpr const char* malloc_library_symbol = "armature_malloc_library";

}  // namespace armature::fibers
