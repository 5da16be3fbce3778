#include "team/release.hpp"

#include "base/fail.hpp"
#include "base/valgrind.hpp"

namespace armature::team {

using space::TeamBlock;

bool Release::awaits(int member) const {
  // As in wait::notify: the compiler keeps the order, the barrier of the one that sleeps does the
  // rest.
  std::atomic_signal_fence(std::memory_order_seq_cst);
  const std::uint32_t awaited = block_.awaited.load(std::memory_order_relaxed);
  return awaited == static_cast<std::uint32_t>(member) || awaited == TeamBlock::anybody;
}

// It compares for all, as it looks at all lines anyway.
bool Release::compare() {
  const std::uint64_t first = lines_.signature_of(0);
  for (int member = 0; member < static_cast<int>(block_.size); ++member) {
    if (lines_.signature_of(member) == first) continue;
    block_.disagreed.store(lines_.round(), std::memory_order_relaxed);
    return false;
  }
  return true;
}

void Release::release() { block_.released.store(lines_.round(), std::memory_order_release); }

void Release::release_for_ever() {
  block_.released.store(TeamBlock::never_more, std::memory_order_release);
}

std::byte* Release::room(std::size_t bytes) const {
  ARMATURE_ASSERT(bytes <= Lines::bytes_max);
  return bytes <= TeamBlock::inline_result ? block_.result : block_.long_result();
}

const std::byte* Release::result(std::size_t bytes) const {
  // Acquire: written before the round was released.
  if (lines_.are_flat() || block_.reduced.load(std::memory_order_acquire) != lines_.round())
    return nullptr;
  const std::byte* const combined = room(bytes);
  base::mark_defined(combined, bytes);
  return combined;
}

}  // namespace armature::team
