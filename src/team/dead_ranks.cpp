#include "team/dead_ranks.hpp"

namespace armature::team {
namespace {

bool is_dead(const space::Mapping& job, int rank) {
  return job.slot(rank).life.load(std::memory_order_acquire) == space::Life::dead;
}

std::uint64_t mixed(std::uint64_t h) {
  h *= 0xbf58476d1ce4e5b9;
  return h ^ (h >> 32);
}

}  // namespace

std::uint32_t failed_set_hash(const space::Mapping& job) {
  if (!goes_on(job)) return 0;
  std::uint64_t h = 0;
  for (int rank = 0; rank < job.ranks(); ++rank)
    if (is_dead(job, rank)) h = mixed(h + static_cast<std::uint64_t>(rank) + 1);
  return h == 0 ? 0 : static_cast<std::uint32_t>(h) | 1;
}

int first_dead(const space::Mapping& job, std::span<const std::int32_t> ranks) {
  for (const std::int32_t rank : ranks)
    if (is_dead(job, rank)) return rank;
  return -1;
}

}  // namespace armature::team
