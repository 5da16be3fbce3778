#include "virtual/rank_malloc.hpp"

#include <dlfcn.h>

#include "space/virtual_band.hpp"
#include "virtual/malloc/interface.hpp"

namespace armature::fibers {
namespace {

space::RankHeap* nobodys = nullptr;
space::RankHeap** current = &nobodys;

}  // namespace

void find_rank_malloc(const space::Mapping& mapping) {
  void* const found = dlsym(RTLD_DEFAULT, malloc_library_symbol);
  if (found == nullptr) return;
  const MallocLibrary library = reinterpret_cast<MallocLibrary (*)()>(found)();
  library.set_places({.base = reinterpret_cast<std::uintptr_t>(mapping.band(0)),
                      .band_bytes = mapping.band_bytes(),
                      .bands = static_cast<std::size_t>(mapping.ranks()),
                      .offset = space::VirtualBand(mapping.header()).rank_heaps()});
  current = library.current;
}

bool malloc_knows_ranks() { return current != &nobodys; }

space::RankHeap*& heap_of_malloc() { return *current; }

}  // namespace armature::fibers
