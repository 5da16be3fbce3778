#include "fibers/sleeping_ranks.hpp"

#include <algorithm>

#include "base/process_memory.hpp"

namespace armature::fibers {

void SleepingRanks::add(RankFiber& fiber, std::uint64_t until_ns) {
  const base::ProcessMemory of_process;  // the rank itself calls this
  all_.push_back({until_ns, &fiber});
  std::ranges::push_heap(all_, is_later);
}

RankFiber* SleepingRanks::take_due(std::uint64_t now_ns) {
  if (all_.empty() || all_.front().until_ns > now_ns) return nullptr;
  std::ranges::pop_heap(all_, is_later);
  RankFiber* const fiber = all_.back().fiber;
  all_.pop_back();
  return fiber;
}

long SleepingRanks::shorten(long timeout_ns, std::uint64_t now_ns) const {
  if (all_.empty()) return timeout_ns;
  const std::uint64_t first = all_.front().until_ns;
  if (first <= now_ns) return 0;
  return static_cast<long>(std::min(first - now_ns, static_cast<std::uint64_t>(timeout_ns)));
}

}  // namespace armature::fibers
