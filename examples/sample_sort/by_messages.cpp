#include <numeric>

#include "sort.hpp"

namespace sample_sort {

Numbers by_messages(const armature::World& world, std::span<const int> mine) {
  const auto ranks = static_cast<std::size_t>(world.size());
  const Numbers splitters = common_splitters(world, mine);
  std::vector<Numbers> outgoing(ranks);
  for (const int number : mine)
    outgoing[static_cast<std::size_t>(part_of(number, splitters))].push_back(number);

  // Everybody tells everybody how much will come; where it goes follows from that.
  std::vector<std::size_t> sizes(ranks), all_sizes(ranks * ranks);
  for (std::size_t to = 0; to < ranks; ++to) sizes[to] = outgoing[to].size();
  allgather(world, std::span<const std::size_t>(sizes), std::span<std::size_t>(all_sizes));
  const auto from_to = [&](std::size_t from, std::size_t to) {
    return all_sizes[from * ranks + to];
  };
  const auto me = static_cast<std::size_t>(world.rank());
  std::size_t incoming = 0;
  for (std::size_t from = 0; from < ranks; ++from) incoming += from_to(from, me);

  auto buckets = world.allocate<int>(incoming);
  for (std::size_t to = 0; to < ranks; ++to) {
    std::size_t place = 0;
    for (std::size_t from = 0; from < me; ++from) place += from_to(from, to);
    armature::put(buckets.on(static_cast<int>(to)) + static_cast<std::ptrdiff_t>(place),
                  outgoing[to]);
  }
  world.barrier();
  const std::span<int> local = buckets.local();
  Numbers bucket(local.begin(), local.end());
  std::sort(bucket.begin(), bucket.end());
  world.free(buckets);
  return bucket;
}

}  // namespace sample_sort
