// Below a stack lie pages that must not be touched, so that a rank that needs more ends with a word
// about it instead of writing over what lies there. An area without access is as cheap if it is as
// large as the stack, and then few frames skip it. It makes two areas more for each rank. For many
// ranks, or ranks with copies of several images, that is more than the kernel allows a process, or
// than they are to take. These have a small guard inside the area, where the kernel has that.
// Kernels have it since 6.15; each of its pages is an entry of a page table.
#include "fibers/stack_guard.hpp"

#include <sys/mman.h>

#include <algorithm>

#include "base/process_memory.hpp"
#include "image/copies.hpp"
#include "space/virtual_segment.hpp"

#ifndef MADV_GUARD_INSTALL
#define MADV_GUARD_INSTALL 102
#endif

namespace armature::fibers {
namespace {

/// Whether the kernel has guards that are no areas, in memory of the segments' kind. 6.13 and 6.14
/// have them in private memory alone.
bool kernel_has_small_guards() {
  constexpr std::size_t page = 4096;
  void* const shared = mmap(nullptr, page, PROT_NONE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (shared == MAP_FAILED) return false;
  const bool has = madvise(shared, page, MADV_GUARD_INSTALL) == 0;
  (void)munmap(shared, page);
  return has;
}

}  // namespace

bool guards_are_areas(std::uint64_t ranks, const image::Plan* plan) {
  if (!space::VirtualSegment::guards_are_areas(ranks)) return false;
  return plan == nullptr || plan->areas() + 2 <= areas_of_rank_wanted || !kernel_has_small_guards();
}

void guard_stack(std::byte* stack, std::uint64_t bytes, std::uint64_t ranks) {
  const base::ProcessMemory processes;  // not the rank's doing that happens to run
  const image::Copies* const copies = image::copies();
  const auto forbid = [&] { return mprotect(stack - bytes, bytes, PROT_NONE) == 0; };
  const bool may_be_area = space::VirtualSegment::guards_are_areas(ranks);
  if (guards_are_areas(ranks, copies != nullptr ? &copies->plan() : nullptr) && forbid()) return;
  const std::uint64_t small = std::min(bytes, space::stack_guard_bytes);
  const bool is_guarded = madvise(stack - small, small, MADV_GUARD_INSTALL) == 0;
  // Locked memory has no guards of that kind.
  if (!is_guarded && may_be_area) (void)forbid();
}

}  // namespace armature::fibers
