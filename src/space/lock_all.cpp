// A program's own mlockall. The kernel's would make every page of every mapped segment, used or
// not, until the machine has none left: locking reads each page once, and a page of a memory file
// exists from then on. Ours locks all else as it does, and of segments what is there and what will
// be used, each page when it is first touched (MLOCK_ONFAULT): what is allocated has its pages
// already. Rejected: segments mapped for access only as far as they are allocated. Each process
// would have to hear of each allocation of each other one.
#include "space/lock_all.hpp"

#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstdint>
#include <cstdio>

#include "armature/detail/export.hpp"
#include "base/runtime.hpp"

namespace armature::space {
namespace {

struct Segments {
  std::uintptr_t begin = 0, end = 0;
};

long lock_by_kernel(int flags) { return syscall(SYS_mlockall, flags); }

/// Locks all memory that can be touched, except segments. Memory that the kernel does not lock for
/// itself it refuses to lock here.
bool lock_all_else(const Segments& segments) {
  std::FILE* const maps = std::fopen("/proc/self/maps", "re");
  if (maps == nullptr) return false;
  std::uintptr_t begin = 0, end = 0;
  char readable = 0;
  while (std::fscanf(maps, "%lx-%lx %c%*[^\n]", &begin, &end, &readable) == 3)
    if (readable == 'r' && (end <= segments.begin || begin >= segments.end))
      (void)mlock(reinterpret_cast<void*>(begin), end - begin);
  std::fclose(maps);
  return true;
}

/// Whether mlockall(MCL_FUTURE) is in force, without MCL_ONFAULT: a new page is there untouched.
bool locks_what_is_mapped() {
  constexpr std::size_t page = 4096;
  void* const probe =
      mmap(nullptr, page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (probe == MAP_FAILED) return false;
  unsigned char is_there = 0;
  const bool told = mincore(probe, page, &is_there) == 0;
  munmap(probe, page);
  return told && (is_there & 1) != 0;
}

}  // namespace

int access_when_mapped() { return locks_what_is_mapped() ? PROT_NONE : PROT_READ | PROT_WRITE; }

bool open_mapped(std::byte* begin, std::size_t bytes, int access) {
  const auto first = reinterpret_cast<std::uintptr_t>(begin);
  base::state<Segments>() = {first, first + bytes};
  if (access != PROT_NONE) return true;
  // If the limit does not allow so much, nothing of it stays locked.
  if (mlock2(begin, bytes, MLOCK_ONFAULT) != 0) munlock(begin, bytes);
  return mprotect(begin, bytes, PROT_READ | PROT_WRITE) == 0;
}

}  // namespace armature::space

extern "C" ARMATURE_API int mlockall(int flags) noexcept {
  using namespace armature::space;
  const auto* const segments = armature::base::Runtime::here().find<Segments>();
  if (segments == nullptr || (flags & MCL_CURRENT) == 0 || (flags & MCL_ONFAULT) != 0)
    return static_cast<int>(lock_by_kernel(flags));
  if (lock_by_kernel(MCL_CURRENT | MCL_ONFAULT) != 0) return -1;
  // The kernel locks what others map from now on; the code below locks what they have mapped
  // before.
  if ((flags & MCL_FUTURE) != 0 && lock_by_kernel(MCL_FUTURE) != 0) return -1;
  return lock_all_else(*segments) ? 0 : -1;
}
