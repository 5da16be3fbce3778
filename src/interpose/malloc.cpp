// libarmature-malloc.so: malloc and its relatives, for processes that host virtual ranks. While a
// rank runs, memory comes from the heap in its segment; else from the C library, under the names
// that glibc has for this purpose. free finds out from the address. Loaded before the program's own
// libraries (LD_PRELOAD); see docs/decisions/rank-heaps.md.
#include <dlfcn.h>
#include <link.h>
#include <pthread.h>
#include <sys/auxv.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "interpose/current.hpp"
#include "interpose/interface.hpp"
#include "interpose/mappings.hpp"
#include "interpose/moving_files.hpp"
#include "interpose/open_files.hpp"
#include "interpose/threads.hpp"
#include "space/layout.hpp"
#include "space/pages.hpp"
#include "space/rank_heap.hpp"

extern "C" {
void* __libc_malloc(std::size_t bytes);
void __libc_free(void* memory);
void* __libc_calloc(std::size_t count, std::size_t bytes);
void* __libc_realloc(void* memory, std::size_t bytes);
void* __libc_memalign(std::size_t alignment, std::size_t bytes);
}

constinit thread_local armature::space::RankHeap* armature::interpose::current_heap = nullptr;
constinit thread_local armature::space::RankHeap* armature::interpose::thread_heap = nullptr;
[[gnu::tls_model("initial-exec")]] constinit thread_local armature::interpose::Notes*
    armature::interpose::current_notes = nullptr;

namespace {

using armature::interpose::current_heap;
using armature::interpose::current_notes;
using armature::interpose::heap_of_thread;
using armature::interpose::HeapPlaces;
using armature::interpose::MallocLibrary;
using armature::interpose::thread_heap;
using armature::space::RankHeap;
using armature::space::ThreadHeap;

constinit HeapPlaces places;
constinit std::uintptr_t all_bytes = 0;  // of all segments
// A child of fork sees the same memory as its parent, who goes on using it.
constinit pid_t process = 0;  // that hosts the ranks; 0: none yet; -1: its child by fork

/// The code of the dynamic linker. Its allocations are the process's: the memory of thread_locals,
/// what it says of errors.
struct Loader {
  std::uintptr_t begin = 0, bytes = 0;

  [[nodiscard]] bool has(const void* address) const {
    return reinterpret_cast<std::uintptr_t>(address) - begin < bytes;
  }
};
constinit Loader loader;

Loader find_loader() {
  Loader found{getauxval(AT_BASE), 0};
  if (found.begin == 0) return found;
  const auto& head = *reinterpret_cast<const ElfW(Ehdr)*>(found.begin);
  const auto* part = reinterpret_cast<const ElfW(Phdr)*>(found.begin + head.e_phoff);
  for (int i = 0; i < head.e_phnum; ++i, ++part)
    if (part->p_type == PT_LOAD)
      found.bytes = std::max<std::uintptr_t>(found.bytes, part->p_vaddr + part->p_memsz);
  return found;
}

/// The heap of the rank that runs; nullptr where whoever asks is to have the process's memory.
RankHeap* heap_for(const void* caller) {
  return current_heap == nullptr || loader.has(caller) ? nullptr : current_heap;
}

bool is_a_ranks(const void* memory) {
  return reinterpret_cast<std::uintptr_t>(memory) - places.base < all_bytes;
}

std::size_t rank_at(const void* memory) {
  return (reinterpret_cast<std::uintptr_t>(memory) - places.base) / places.segment_bytes;
}

RankHeap& heap_of(const void* memory) { return armature::interpose::heap_of_rank(rank_at(memory)); }

void* or_error(void* memory) {
  if (memory == nullptr) errno = ENOMEM;
  return memory;
}

[[gnu::noinline]] void free_of_rank(void* memory) {
  if (process < 0) return;
  RankHeap& heap = heap_of(memory);
  if (&heap == current_heap) return heap.free(memory);
  ThreadHeap* const mine = heap_of_thread();
  mine != nullptr&& & mine->rank() == &heap ? mine->free(memory) : heap.free_from_outside(memory);
}

/// The heap of a thread that works for a rank; nullptr where the process's is to be used.
ThreadHeap* thread_heap_for(const void* caller) {
  return thread_heap == nullptr || loader.has(caller) ? nullptr : heap_of_thread();
}

/// Memory of the process, for the thread that is being looked at.
void* noted(void* memory, std::size_t bytes) {
  if (current_notes != nullptr && memory != nullptr) [[unlikely]]
    current_notes->add(memory, bytes);
  return memory;
}

/// Allocates for a thread that runs no rank.
void* allocate_beside_ranks(std::size_t bytes, const void* caller) {
  if (thread_heap == nullptr && current_notes == nullptr) [[likely]]
    return __libc_malloc(bytes);
  if (ThreadHeap* const heap = thread_heap_for(caller)) return or_error(heap->allocate(bytes));
  return noted(__libc_malloc(bytes), bytes);
}

void* allocate(std::size_t bytes, const void* caller) {
  RankHeap* const heap = heap_for(caller);
  return heap == nullptr ? allocate_beside_ranks(bytes, caller) : or_error(heap->allocate(bytes));
}

[[gnu::always_inline]] inline void* aligned(std::size_t alignment, std::size_t bytes) {
  const void* const caller = __builtin_return_address(0);
  if (RankHeap* const heap = heap_for(caller))
    return or_error(heap->allocate_aligned(alignment, bytes));
  if (ThreadHeap* const heap = thread_heap_for(caller))
    return or_error(heap->allocate_aligned(alignment, bytes));
  return noted(__libc_memalign(alignment, bytes), bytes);
}

int digit(char c) {
  return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

#if defined(__x86_64__)
/// The C library gives every process a secret number that functions write below their return
/// address and compare when they return, and one that longjmp's addresses are hidden with. A rank
/// that moves in between must find the same ones, so the job's processes share theirs. This runs
/// before all other constructors (-z initfirst, and the first of this library), when nothing has
/// been written with the old ones.
[[gnu::constructor(101)]] __attribute__((no_stack_protector)) void share_secrets(
    int, char**, char** environment) {
  constexpr char name[] = "ARMATURE_SECRETS=";
  for (; *environment != nullptr; ++environment) {
    const char* text = *environment;
    std::size_t same = 0;
    while (name[same] != '\0' && text[same] == name[same]) ++same;
    if (name[same] != '\0') continue;
    std::uint64_t secrets[2] = {};
    for (std::size_t i = 0; i < 32; ++i) {
      const int value = digit(text[same + i]);
      if (value < 0) return;
      secrets[i / 16] = secrets[i / 16] << 4 | static_cast<std::uint64_t>(value);
    }
    // The lowest byte is 0: strings end there.
    asm volatile("mov %0, %%fs:0x28" : : "r"(secrets[0] & ~std::uint64_t{0xff}));
    asm volatile("mov %0, %%fs:0x30" : : "r"(secrets[1]));
    return;
  }
}
#endif

}  // namespace

armature::space::RankHeap* armature::interpose::find_heap(const void* address) {
  return is_a_ranks(address) ? &heap_of(address) : nullptr;
}

std::size_t armature::interpose::ranks() { return places.segments; }

std::size_t armature::interpose::rank_of(const RankHeap& heap) { return rank_at(&heap); }

RankHeap& armature::interpose::heap_of_rank(std::size_t rank) {
  return *reinterpret_cast<RankHeap*>(places.base + rank * places.segment_bytes + places.offset -
                                      armature::space::stack_shift(rank));
}

bool armature::interpose::in_fork() { return getpid() != process; }

armature::interpose::CopiedImage armature::interpose::copy_at(const void* address) {
  if (!is_a_ranks(address)) return {};
  const std::uintptr_t offset = reinterpret_cast<std::uintptr_t>(address) - places.base;
  const std::uintptr_t inside = offset % places.segment_bytes;
  for (std::size_t i = 0; i < places.copies_count; ++i)
    if (const CopiedImage& copy = places.copies[i]; inside - copy.begin < copy.bytes)
      return {places.base + (offset - inside) + copy.begin, copy.bytes, copy.unwind_table};
  return {};
}

void armature::interpose::tell_of_thread() {
  if (places.thread_works != nullptr) places.thread_works(&thread_heap);
}

#define ARMATURE_EXPORT extern "C" [[gnu::visibility("default")]]

ARMATURE_EXPORT MallocLibrary armature_malloc_library() {
  return {&current_heap,
          &current_notes,
          [](const HeapPlaces& given) {
            places = given;
            process = getpid();
            loader = find_loader();
            all_bytes = given.segments * given.segment_bytes;
            pthread_atfork(nullptr, nullptr, [] {
              process = -1;
              current_heap = nullptr;
              thread_heap = nullptr;
            });
          },
          &armature::interpose::threads_of_ranks,
          [] {
            armature::interpose::forget_mappings();
            armature::interpose::open_files.forget_ties();
          },
          armature::interpose::exchange_static_guards,
          armature::interpose::moving_files()};
}

ARMATURE_EXPORT void* malloc(std::size_t bytes) {
  return allocate(bytes, __builtin_return_address(0));
}

ARMATURE_EXPORT void free(void* memory) {
  if (!is_a_ranks(memory)) return __libc_free(memory);
  free_of_rank(memory);
}

ARMATURE_EXPORT void* calloc(std::size_t count, std::size_t bytes) {
  const void* const caller = __builtin_return_address(0);
  std::size_t all = 0;
  if (__builtin_mul_overflow(count, bytes, &all)) return or_error(nullptr);
  if (RankHeap* const heap = heap_for(caller)) return or_error(heap->allocate_zeros(all));
  if (ThreadHeap* const heap = thread_heap_for(caller)) return or_error(heap->allocate_zeros(all));
  return noted(__libc_calloc(count, bytes), all);
}

ARMATURE_EXPORT void* realloc(void* memory, std::size_t bytes) {
  const void* const caller = __builtin_return_address(0);
  if (memory == nullptr) return allocate(bytes, caller);
  if (!is_a_ranks(memory)) return __libc_realloc(memory, bytes);
  if (bytes == 0) {
    free(memory);
    return nullptr;
  }
  const std::size_t usable = RankHeap::usable_bytes(memory);
  if (bytes <= usable && bytes >= usable / 2) return memory;
  void* const other = allocate(bytes, caller);
  if (other == nullptr) return nullptr;
  std::memcpy(other, memory, std::min(bytes, usable));
  free(memory);
  return other;
}

ARMATURE_EXPORT void* reallocarray(void* memory, std::size_t count, std::size_t bytes) {
  std::size_t all = 0;
  if (__builtin_mul_overflow(count, bytes, &all)) return or_error(nullptr);
  return realloc(memory, all);
}

ARMATURE_EXPORT void* memalign(std::size_t alignment, std::size_t bytes) {
  return aligned(alignment, bytes);
}

ARMATURE_EXPORT void* aligned_alloc(std::size_t alignment, std::size_t bytes) {
  return aligned(alignment, bytes);
}

ARMATURE_EXPORT int posix_memalign(void** memory, std::size_t alignment, std::size_t bytes) {
  if (alignment % sizeof(void*) != 0 || (alignment & (alignment - 1)) != 0 || alignment == 0)
    return EINVAL;
  const int before = errno;
  void* const found = aligned(alignment, bytes);
  errno = before;
  if (found == nullptr) return ENOMEM;
  *memory = found;
  return 0;
}

ARMATURE_EXPORT void* valloc(std::size_t bytes) {
  return aligned(armature::space::page_bytes, bytes);
}

ARMATURE_EXPORT void* pvalloc(std::size_t bytes) {
  return aligned(armature::space::page_bytes,
                 bytes > PTRDIFF_MAX ? bytes : armature::space::page_above(bytes));
}

ARMATURE_EXPORT std::size_t malloc_usable_size(void* memory) {
  if (memory == nullptr) return 0;
  if (is_a_ranks(memory)) return RankHeap::usable_bytes(memory);
  using Function = std::size_t (*)(void*);
  static const auto of_libc = reinterpret_cast<Function>(dlsym(RTLD_NEXT, "malloc_usable_size"));
  return of_libc != nullptr ? of_libc(memory) : 0;
}
