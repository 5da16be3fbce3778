#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "wait/rank_context.hpp"

namespace armature::wait {

/// Returns with which of `count` things a call begins that looks for any of them. Each is to be
/// found in the end. The beginnings of a row of calls follow the golden ratio, so that every place
/// has its turn, also for each of several sets that are looked at in turns.
inline std::size_t turn_of_looks(const RankContext& me, std::size_t count) {
  std::atomic<std::uint32_t>& turn = me.space.head(me.space.me()).looks;
  // Relaxed, and not one step: two threads of a rank that begin in one place do no harm.
  const std::uint32_t number = turn.load(std::memory_order_relaxed);
  turn.store(number + 1, std::memory_order_relaxed);
  const std::uint32_t part = number * 2'654'435'769U;  // of 2^32
  return static_cast<std::size_t>(static_cast<std::uint64_t>(part) * count >> 32);
}

}  // namespace armature::wait
