#include "space/exposures.hpp"

namespace armature::space {

bool Exposures::add(const Range& range) {
  const std::uint64_t used = used_.load(std::memory_order_relaxed);
  std::uint64_t at = 0;
  while (at < used && entries_[at].bytes.load(std::memory_order_relaxed) != 0) ++at;
  if (at == count_max) return false;
  Entry& entry = entries_[at];
  entry.begin.store(range.begin, std::memory_order_relaxed);
  entry.kind.store(range.kind, std::memory_order_relaxed);
  entry.device.store(range.file.device, std::memory_order_relaxed);
  entry.inode.store(range.file.inode, std::memory_order_relaxed);
  entry.offset.store(range.file.offset, std::memory_order_relaxed);
  entry.bytes.store(range.bytes, std::memory_order_release);
  if (at == used) used_.store(used + 1, std::memory_order_release);
  return true;
}

bool Exposures::remove(std::uint64_t begin, std::uint64_t bytes) {
  for (std::uint64_t at = used_.load(std::memory_order_relaxed); at-- > 0;) {
    Entry& entry = entries_[at];
    if (entry.begin.load(std::memory_order_relaxed) != begin ||
        entry.bytes.load(std::memory_order_relaxed) != bytes)
      continue;
    entry.bytes.store(0, std::memory_order_relaxed);
    // A reader does not see what the next exposure writes here before it sees this zero.
    std::atomic_thread_fence(std::memory_order_release);
    return true;
  }
  return false;
}

std::optional<Exposures::Range> Exposures::holding(std::uint64_t address,
                                                   std::uint64_t bytes) const {
  const std::uint64_t used = used_.load(std::memory_order_acquire);
  for (std::uint64_t at = 0; at < used && at < count_max; ++at) {
    const Entry& entry = entries_[at];
    Range range;
    range.bytes = entry.bytes.load(std::memory_order_acquire);
    if (range.bytes == 0) continue;
    range.begin = entry.begin.load(std::memory_order_relaxed);
    range.kind = entry.kind.load(std::memory_order_relaxed);
    range.file = {.device = entry.device.load(std::memory_order_relaxed),
                  .inode = entry.inode.load(std::memory_order_relaxed),
                  .offset = entry.offset.load(std::memory_order_relaxed)};
    std::atomic_thread_fence(std::memory_order_acquire);
    if (entry.bytes.load(std::memory_order_relaxed) != range.bytes) continue;
    if (range.holds(address, bytes)) return range;
  }
  return std::nullopt;
}

}  // namespace armature::space
