#include "fibers/rank_malloc.hpp"

#include <dlfcn.h>

#include <vector>

#include <fmt/format.h>

#include "base/process_memory.hpp"
#include "base/runtime.hpp"
#include "base/valgrind.hpp"
#include "fibers/own_malloc.hpp"
#include "fibers/static_guards.hpp"
#include "image/copies.hpp"
#include "interpose/interface.hpp"
#include "space/virtual_segment.hpp"

namespace armature::fibers {
namespace {

struct OfMalloc {
  space::RankHeap* nobodys = nullptr;
  space::RankHeap** current = &nobodys;
  const std::atomic<std::uint32_t>* threads = nullptr;
  void (*forget)() = nullptr;
  interpose::MovingFiles files = {};
  std::vector<interpose::CopiedImage> copies;
  std::string not_known_since;
  bool is_the_programs = false;
};
OfMalloc& of_malloc() { return base::state<OfMalloc>(); }

void note_copies(const space::Mapping& mapping) {
  const image::Copies* const copies = image::copies();
  if (copies == nullptr) return;
  const auto begin = static_cast<std::uintptr_t>(copies->of(0) - mapping.segment(0));
  for (const image::Plan::Image& one : copies->plan().images)
    of_malloc().copies.push_back(
        {begin + one.begin, one.bytes,
         one.unwind_table != 0 ? one.unwind_table - one.begin : std::uintptr_t{0}});
}

}  // namespace

void find_rank_malloc(const space::Mapping& mapping) {
  void* const found = dlsym(RTLD_DEFAULT, interpose::malloc_library_symbol);
  if (found == nullptr) {
    of_malloc().not_known_since =
        "libarmature-malloc.so is not loaded into the program (it must be linked dynamically, and "
        "the library lie in lib/ beside bin/armature)";
    return;
  }
  const interpose::MallocLibrary library =
      reinterpret_cast<interpose::MallocLibrary (*)()>(found)();
  take_static_guards(library);
  if (base::on_valgrind) {
    of_malloc().not_known_since = "valgrind gives the program its memory";
    return;
  }
  if (const std::string own = find_own_malloc(library); !own.empty()) {
    of_malloc().is_the_programs = true;
    of_malloc().not_known_since = fmt::format(
        "{} takes memory from elsewhere than from libarmature-malloc.so, which puts what a rank "
        "allocates where it can move with it",
        own);
    return;
  }
  note_copies(mapping);
  library.set_places(
      {.base = reinterpret_cast<std::uintptr_t>(mapping.segment(0)),
       .segment_bytes = mapping.segment_bytes(),
       .segments = static_cast<std::size_t>(mapping.ranks()),
       .offset = space::VirtualSegment(mapping.header()).rank_heaps(),
       .copies = of_malloc().copies.data(),
       .copies_count = of_malloc().copies.size(),
       .thread_works = [](space::RankHeap** of_thread) { base::heap_of_rank = of_thread; }});
  of_malloc().current = library.current;
  of_malloc().threads = library.threads;
  of_malloc().forget = library.forget_ties;
  of_malloc().files = library.files;
}

bool threads_of_ranks_run() {
  const auto* const threads = of_malloc().threads;
  return threads != nullptr && threads->load(std::memory_order_acquire) != 0;
}

void forget_ties_of_ranks() {
  if (of_malloc().forget != nullptr) of_malloc().forget();
}

const interpose::MovingFiles* moving_files() {
  const interpose::MovingFiles& files = of_malloc().files;
  return files.pack != nullptr ? &files : nullptr;
}

bool malloc_is_the_programs() { return of_malloc().is_the_programs; }

const std::string& why_malloc_knows_no_ranks() { return of_malloc().not_known_since; }

bool malloc_knows_ranks() { return of_malloc().current != &of_malloc().nobodys; }

space::RankHeap*& heap_of_malloc() { return *of_malloc().current; }

}  // namespace armature::fibers
