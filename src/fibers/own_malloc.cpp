// libarmature-malloc.so is loaded first, but the dynamic linker looks for malloc in the program
// before that, and libraries bring operators new that do not call malloc at all. A rank whose
// memory lies elsewhere than in its segment would find another rank's when it goes on in another
// process. So each function that allocates is called, and must give memory that the library has
// just given. It is called several times for each size: a pool takes some from malloc, but not each
// time.
//
// The functions are named here for another reason, too: a linker exports a program's own ones only
// if a library that it links asks for them by name.
#include "fibers/own_malloc.hpp"

#include <dlfcn.h>
#include <malloc.h>

#include <cstdlib>
#include <new>
#include <vector>

#include <fmt/format.h>

namespace armature::fibers {
namespace {

constexpr std::size_t alignment = 64;

struct Way {
  const char* name;
  const void* place;  // of its code
  void* (*take)(std::size_t bytes);
  void (*give)(void* memory);
};

template <class Function>
const void* place_of(Function* function) {
  return reinterpret_cast<const void*>(function);
}

void* by_posix_memalign(std::size_t bytes) {
  void* memory = nullptr;
  return posix_memalign(&memory, alignment, bytes) == 0 ? memory : nullptr;
}

using Plain = void*(std::size_t);
using Careful = void*(std::size_t, const std::nothrow_t&);
using Aligned = void*(std::size_t, std::align_val_t);
constexpr std::align_val_t align{alignment};

std::vector<Way> ways() {
  return {
      {"malloc", place_of(&malloc), [](std::size_t bytes) { return malloc(bytes); }, free},
      {"calloc", place_of(&calloc), [](std::size_t bytes) { return calloc(1, bytes); }, free},
      {"realloc", place_of(&realloc), [](std::size_t bytes) { return realloc(nullptr, bytes); },
       free},
      {"reallocarray", place_of(&reallocarray),
       [](std::size_t bytes) { return reallocarray(nullptr, 1, bytes); }, free},
      {"aligned_alloc", place_of(&aligned_alloc),
       [](std::size_t bytes) { return aligned_alloc(alignment, bytes); }, free},
      {"posix_memalign", place_of(&posix_memalign), by_posix_memalign, free},
      {"memalign", place_of(&memalign),
       [](std::size_t bytes) { return memalign(alignment, bytes); }, free},
      {"valloc", place_of(&valloc), [](std::size_t bytes) { return valloc(bytes); }, free},
      {"pvalloc", place_of(&pvalloc), [](std::size_t bytes) { return pvalloc(bytes); }, free},
      {"operator new", place_of<Plain>(&::operator new),
       [](std::size_t bytes) { return ::operator new(bytes); },
       [](void* memory) { ::operator delete(memory); }},
      {"operator new[]", place_of<Plain>(&::operator new[]),
       [](std::size_t bytes) { return ::operator new[](bytes); },
       [](void* memory) { ::operator delete[](memory); }},
      {"operator new (std::nothrow)", place_of<Careful>(&::operator new),
       [](std::size_t bytes) { return ::operator new(bytes, std::nothrow); },
       [](void* memory) { ::operator delete(memory, std::nothrow); }},
      {"operator new[] (std::nothrow)", place_of<Careful>(&::operator new[]),
       [](std::size_t bytes) { return ::operator new[](bytes, std::nothrow); },
       [](void* memory) { ::operator delete[](memory, std::nothrow); }},
      {"operator new (std::align_val_t)", place_of<Aligned>(&::operator new),
       [](std::size_t bytes) { return ::operator new(bytes, align); },
       [](void* memory) { ::operator delete(memory, align); }},
      {"operator new[] (std::align_val_t)", place_of<Aligned>(&::operator new[]),
       [](std::size_t bytes) { return ::operator new[](bytes, align); },
       [](void* memory) { ::operator delete[](memory, align); }},
  };
}

/// Whether all that it gives was given by the library.
bool takes_from_library(const Way& way, interpose::Notes*& current) {
  for (const std::size_t bytes : {16UL, 64UL, 320UL, 1600UL, 8000UL, 160'000UL}) {
    void* memory[4] = {};
    bool is_the_librarys = true;
    for (void*& one : memory) {
      interpose::Notes notes;
      current = &notes;
      one = way.take(bytes);
      // The compiler may not leave out a block that nobody uses.
      asm volatile("" : "+r"(one) : : "memory");
      current = nullptr;
      is_the_librarys = is_the_librarys && one != nullptr && notes.have(one, bytes);
    }
    for (void* const one : memory) way.give(one);
    if (!is_the_librarys) return false;
  }
  return true;
}

}  // namespace

std::string find_own_malloc(const interpose::MallocLibrary& library) {
  for (const Way& way : ways()) {
    if (takes_from_library(way, *library.notes)) continue;
    Dl_info info;
    return fmt::format("{} of {}", way.name,
                       dladdr(way.place, &info) != 0 ? info.dli_fname : "the program");
  }
  return {};
}

}  // namespace armature::fibers
