#include "wait/helped_ranks.hpp"

#include <algorithm>

#include "base/process_memory.hpp"
#include "base/runtime.hpp"
#include "wait/running_rank.hpp"

namespace armature::wait {

void HelpedRanks::add(HelpedRank& helped, RankContext& rank) {
  const base::ProcessMemory memory;
  const std::lock_guard locked(mutex_);
  all_.push_back({&helped, &rank});
}

void HelpedRanks::remove(const HelpedRank& helped) {
  const std::lock_guard locked(mutex_);
  std::erase_if(all_, [&](const One& one) { return one.helped == &helped; });
}

void HelpedRanks::help() {
  const std::lock_guard locked(mutex_);
  soon_.store(false, std::memory_order_relaxed);
  for (const One& one : all_) {
    const HelpsRank helps(*one.rank);
    if (one.helped->help()) soon_.store(true, std::memory_order_relaxed);
  }
}

HelpedRanks& helped_ranks() { return base::state<HelpedRanks>(); }

}  // namespace armature::wait
