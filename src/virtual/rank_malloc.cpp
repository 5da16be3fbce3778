#include "virtual/rank_malloc.hpp"

#include <dlfcn.h>

#include <fmt/format.h>

#include "base/process_memory.hpp"
#include "base/valgrind.hpp"
#include "space/virtual_band.hpp"
#include "virtual/malloc/interface.hpp"
#include "virtual/own_malloc.hpp"
#include "virtual/static_guards.hpp"

namespace armature::fibers {
namespace {

space::RankHeap* nobodys = nullptr;
space::RankHeap** current = &nobodys;
const std::atomic<std::uint32_t>* threads = nullptr;
void (*forget)() = nullptr;
std::string not_known_since;
bool is_the_programs = false;

}  // namespace

void find_rank_malloc(const space::Mapping& mapping) {
  void* const found = dlsym(RTLD_DEFAULT, malloc_library_symbol);
  if (found == nullptr) {
    not_known_since =
        "libarmature-malloc.so is not loaded into the program (it must be linked dynamically, and "
        "the library lie in lib/ beside bin/armature)";
    return;
  }
  const MallocLibrary library = reinterpret_cast<MallocLibrary (*)()>(found)();
  take_static_guards(library);
  if (base::on_valgrind) {
    not_known_since = "valgrind gives the program its memory";
    return;
  }
  if (const std::string own = find_own_malloc(library); !own.empty()) {
    is_the_programs = true;
    not_known_since = fmt::format(
        "{} takes memory from elsewhere than from libarmature-malloc.so, which puts what a rank "
        "allocates where it can move with it",
        own);
    return;
  }
  library.set_places(
      {.base = reinterpret_cast<std::uintptr_t>(mapping.band(0)),
       .band_bytes = mapping.band_bytes(),
       .bands = static_cast<std::size_t>(mapping.ranks()),
       .offset = space::VirtualBand(mapping.header()).rank_heaps(),
       .thread_works = [](space::RankHeap** of_thread) { base::heap_of_rank = of_thread; }});
  current = library.current;
  threads = library.threads;
  forget = library.forget_mappings;
}

bool threads_of_ranks_run() {
  return threads != nullptr && threads->load(std::memory_order_acquire) != 0;
}

void forget_mappings_of_ranks() {
  if (forget != nullptr) forget();
}

bool malloc_is_the_programs() { return is_the_programs; }

const std::string& why_malloc_knows_no_ranks() { return not_known_since; }

bool malloc_knows_ranks() { return current != &nobodys; }

space::RankHeap*& heap_of_malloc() { return *current; }

}  // namespace armature::fibers
