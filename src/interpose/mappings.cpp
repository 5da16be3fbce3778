// Memory that a rank maps itself goes where the rank goes: private anonymous pages come from its
// segment. All other mappings (files, shared memory, an address of its choice, pages that may not
// be written to) are the process's. The rank stays there as long as it has any. Calls from inside
// the C library, for thread stacks and the like, do not come here.
#include "interpose/mappings.hpp"

#include <dlfcn.h>
#include <sys/mman.h>
#include <sys/shm.h>

#include <algorithm>
#include <cerrno>
#include <cstdarg>
#include <cstring>
#include <type_traits>

#include "interpose/current.hpp"
#include "interpose/tied_ranges.hpp"
#include "space/pages.hpp"

namespace {

using armature::interpose::current_rank_heap;
using armature::interpose::find_heap;
using armature::interpose::TiedRanges;
using armature::space::page_above;
using armature::space::page_bytes;
using armature::space::RankHeap;

constinit TiedRanges tied;

#define ARMATURE_ORIGINAL(Result, name, parameters)                                         \
  constinit std::add_pointer_t<Result parameters> original_##name = nullptr;                \
  [[gnu::constructor]] void find_##name() {                                                 \
    original_##name = reinterpret_cast<decltype(original_##name)>(dlsym(RTLD_NEXT, #name)); \
  }                                                                                         \
  static_assert(true)
/// Takes the place of the C library's function for who asks for it as programs do: by version. UCX
/// looks for it without one and writes over what it finds, to hear of each mapping: it is to find
/// the C library's own.
#if defined(__aarch64__)
#define ARMATURE_OLDEST_VERSION "GLIBC_2.17"
#else
#define ARMATURE_OLDEST_VERSION "GLIBC_2.2.5"
#endif
#if defined(__clang__)  // it lacks the attribute
#define ARMATURE_INSTEAD_OF(name)                                            \
  __asm__(".symver armature_" #name ", " #name "@" ARMATURE_OLDEST_VERSION); \
  extern "C" __attribute__((visibility("default")))
#else
#define ARMATURE_INSTEAD_OF(name) \
  extern "C" __attribute__((visibility("default"), symver(#name "@" ARMATURE_OLDEST_VERSION)))
#endif

ARMATURE_ORIGINAL(void*, mmap, (void*, std::size_t, int, int, int, off_t));
ARMATURE_ORIGINAL(int, munmap, (void*, std::size_t));
ARMATURE_ORIGINAL(void*, mremap, (void*, std::size_t, std::size_t, int, ...));
ARMATURE_ORIGINAL(int, mprotect, (void*, std::size_t, int));
ARMATURE_ORIGINAL(int, madvise, (void*, std::size_t, int));
ARMATURE_ORIGINAL(void*, shmat, (int, const void*, int));
ARMATURE_ORIGINAL(int, shmdt, (const void*));

constexpr int read_write = PROT_READ | PROT_WRITE;

void* fail(int error) {
  errno = error;
  return MAP_FAILED;
}

bool is_private(int flags) {
  return (flags & (MAP_TYPE | MAP_ANONYMOUS)) == (MAP_PRIVATE | MAP_ANONYMOUS);
}

/// Whether pages of the segment do. What they lie on does not matter to the program: pages that
/// were to be large are whole large pages.
bool is_from_segment(int protection, int flags) {
#if defined(MAP_32BIT)  // of x86
  constexpr int where = MAP_FIXED | MAP_FIXED_NOREPLACE | MAP_32BIT;
#else
  constexpr int where = MAP_FIXED | MAP_FIXED_NOREPLACE;
#endif
  constexpr int special = where | MAP_GROWSDOWN | MAP_LOCKED;
  return is_private(flags) && protection == read_write && (flags & special) == 0;
}

std::size_t alignment_of(int flags) {
  if ((flags & MAP_HUGETLB) == 0) return page_bytes;
  const int power = flags >> MAP_HUGE_SHIFT & MAP_HUGE_MASK;
  return std::size_t{1} << (power != 0 ? power : 21);
}

/// The rank whose pages these are, by map(); nullptr: nobody's. By a rank or a thread of one.
RankHeap* mapper_of(const void* pages) {
  RankHeap* const heap = find_heap(pages);
  return heap != nullptr && heap->has_mapped(pages) ? heap : nullptr;
}

void* map_in_segment(RankHeap& rank, std::size_t bytes, int flags) {
  const std::size_t alignment = alignment_of(flags);
  if (bytes == 0 || bytes > PTRDIFF_MAX - alignment) return nullptr;
  const std::size_t all = (bytes + alignment - 1) / alignment * alignment;
  std::byte* const pages = rank.map(all, alignment);
#ifdef MADV_POPULATE_WRITE
  if (pages != nullptr && (flags & MAP_POPULATE) != 0)
    (void)original_madvise(pages, all, MADV_POPULATE_WRITE);
#endif
  return pages;
}

/// Onto pages that the rank has: they are as new. Nothing else than pages may lie in a segment.
void* map_again(RankHeap& rank, void* pages, std::size_t bytes, int protection, int flags) {
  if (!is_private(flags)) return fail(EINVAL);
  bytes = page_above(bytes);
  (void)tied.remove(pages, bytes);
  (void)original_mprotect(pages, bytes, read_write);
  if (original_madvise(pages, bytes, MADV_REMOVE) != 0) std::memset(pages, 0, bytes);
  if (protection == read_write) return pages;
  if (original_mprotect(pages, bytes, protection) != 0) return MAP_FAILED;
  tied.add(pages, bytes, rank);
  return pages;
}

}  // namespace

void armature::interpose::forget_mappings() { tied.forget(); }

ARMATURE_INSTEAD_OF(mmap)
void* armature_mmap(void* address, std::size_t bytes, int protection, int flags, int file,
                    off_t offset) noexcept {
  RankHeap* const rank = current_rank_heap();
  if (rank == nullptr) return original_mmap(address, bytes, protection, flags, file, offset);
  if (is_from_segment(protection, flags))
    if (void* const pages = map_in_segment(*rank, bytes, flags)) return pages;
  if ((flags & (MAP_FIXED | MAP_FIXED_NOREPLACE)) != 0 && find_heap(address) != nullptr) {
    if ((flags & MAP_FIXED_NOREPLACE) != 0) return fail(EEXIST);
    return mapper_of(address) == rank ? map_again(*rank, address, bytes, protection, flags)
                                      : fail(EINVAL);
  }
  void* const pages = original_mmap(address, bytes, protection, flags, file, offset);
  if (pages != MAP_FAILED) tied.add(pages, page_above(bytes), *rank);
  return pages;
}

ARMATURE_INSTEAD_OF(mmap64)
[[gnu::alias("armature_mmap")]] void* armature_mmap64(void* address, std::size_t bytes,
                                                      int protection, int flags, int file,
                                                      off_t offset) noexcept;

ARMATURE_INSTEAD_OF(munmap) int armature_munmap(void* address, std::size_t bytes) noexcept {
  if (current_rank_heap() == nullptr) return original_munmap(address, bytes);
  RankHeap* const mapper = mapper_of(address);
  if (mapper == nullptr) {
    const int result = original_munmap(address, bytes);
    if (result == 0) (void)tied.remove(address, page_above(bytes));
    return result;
  }
  if (bytes == 0 || reinterpret_cast<std::uintptr_t>(address) % page_bytes != 0) {
    errno = EINVAL;
    return -1;
  }
  (void)tied.remove(address, page_above(bytes));
  mapper->unmap(static_cast<std::byte*>(address), page_above(bytes));
  return 0;
}

namespace {

/// Within the segment.
void* remap(RankHeap& rank, std::byte* pages, std::size_t before, std::size_t after, int flags) {
  before = page_above(before);
  after = page_above(after);
  if ((flags & ~MREMAP_MAYMOVE) != 0 || before == 0 || after == 0) return fail(EINVAL);
  if (after <= before) {
    if (after < before) (void)armature_munmap(pages + after, before - after);
    return pages;
  }
  std::byte* const larger = (flags & MREMAP_MAYMOVE) != 0 ? rank.map(after, page_bytes) : nullptr;
  if (larger == nullptr) return fail(ENOMEM);
  std::memcpy(larger, pages, before);
  (void)armature_munmap(pages, before);
  return larger;
}

}  // namespace

ARMATURE_INSTEAD_OF(mremap)
void* armature_mremap(void* address, std::size_t before, std::size_t after, int flags,
                      ...) noexcept {
  va_list more;
  va_start(more, flags);
  void* const wanted = (flags & MREMAP_FIXED) != 0 ? va_arg(more, void*) : nullptr;
  va_end(more);
  if (current_rank_heap() == nullptr) return original_mremap(address, before, after, flags, wanted);
  if (RankHeap* const mapper = mapper_of(address))
    return remap(*mapper, static_cast<std::byte*>(address), before, after, flags);
  if (find_heap(wanted) != nullptr) return fail(EINVAL);
  void* const pages = original_mremap(address, before, after, flags, wanted);
  if (pages == MAP_FAILED) return pages;
  if (RankHeap* const rank = tied.remove(address, page_above(before)))
    tied.add(pages, page_above(after), *rank);
  return pages;
}

/// Protection is the process's: in another process the pages could be written to.
ARMATURE_INSTEAD_OF(mprotect)
int armature_mprotect(void* address, std::size_t bytes, int protection) noexcept {
  const int result = original_mprotect(address, bytes, protection);
  RankHeap* const rank = current_rank_heap();
  if (rank == nullptr || result != 0 || find_heap(address) != rank) return result;
  if (protection == read_write)
    (void)tied.remove(address, page_above(bytes));
  else
    tied.add(address, page_above(bytes), *rank);
  return result;
}

/// Pages that a rank gives up of its segment are to be zeros when they are looked at again, as
/// private memory is. In a shared file they would be what they were.
ARMATURE_INSTEAD_OF(madvise)
int armature_madvise(void* address, std::size_t bytes, int advice) noexcept {
  if ((advice == MADV_DONTNEED || advice == MADV_FREE) && current_rank_heap() != nullptr &&
      find_heap(address) != nullptr)
    advice = MADV_REMOVE;
  return original_madvise(address, bytes, advice);
}

ARMATURE_INSTEAD_OF(shmat)
void* armature_shmat(int segment, const void* address, int flags) noexcept {
  void* const begin = original_shmat(segment, address, flags);
  RankHeap* const rank = current_rank_heap();
  shmid_ds about{};
  if (rank != nullptr && begin != MAP_FAILED && shmctl(segment, IPC_STAT, &about) == 0)
    tied.add(begin, page_above(about.shm_segsz), *rank);
  return begin;
}

/// One segment is one range, so its first byte tells it.
ARMATURE_INSTEAD_OF(shmdt) int armature_shmdt(const void* address) noexcept {
  const int result = original_shmdt(address);
  if (result == 0) tied.remove_whole(address);
  return result;
}
