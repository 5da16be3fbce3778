#include <armature/algorithm.hpp>
#include <armature/container.hpp>

#include "sort.hpp"

namespace sample_sort {

Numbers by_algorithm(const armature::World& world, std::span<const int> mine) {
  auto numbers = armature::distributed_vector<int>::from_local(world, mine);
  armature::sort(numbers);
  const auto local = numbers.local();
  return Numbers(local.begin(), local.end());
}

}  // namespace sample_sort
