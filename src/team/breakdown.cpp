#include "team/breakdown.hpp"

namespace armature {

bool team::note_breakdown(std::atomic<std::uint64_t>& word, std::uint64_t noted) {
  // Numbers wrap around.
  const auto is_earlier = [noted](std::uint64_t known) {
    return static_cast<std::int32_t>((noted >> 32) - (known >> 32)) < 0;
  };
  std::uint64_t known = word.load(std::memory_order_relaxed);
  while (known == 0 || is_earlier(known))
    if (word.compare_exchange_weak(known, noted, std::memory_order_relaxed)) return true;
  return false;
}

}  // namespace armature
