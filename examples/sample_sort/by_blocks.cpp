#include "sort.hpp"

namespace sample_sort {

namespace {

struct Bucket {
  Numbers numbers;
  explicit Bucket(std::size_t about) { numbers.reserve(about); }
  void append(std::span<const int> some) {
    numbers.insert(numbers.end(), some.begin(), some.end());
  }
};

}  // namespace

Numbers by_blocks(const armature::World& world, std::span<const int> mine) {
  constexpr std::size_t block = 512;
  const Numbers splitters = common_splitters(world, mine);
  armature::shared<Bucket> buckets(world, mine.size() + mine.size() / 8);
  std::vector<Numbers> gathered(static_cast<std::size_t>(world.size()));
  for (Numbers& some : gathered) some.reserve(block);
  const auto send = [&](int to) {
    Numbers& some = gathered[static_cast<std::size_t>(to)];
    buckets.async(to, &Bucket::append, some);  // also to its own: calls come one at a time
    some.clear();
  };
  for (const int number : mine) {
    const int to = part_of(number, splitters);
    Numbers& some = gathered[static_cast<std::size_t>(to)];
    some.push_back(number);
    if (some.size() == block) send(to);
  }
  for (int to = 0; to < world.size(); ++to) send(to);
  armature::rmi_fence();
  std::sort(buckets->numbers.begin(), buckets->numbers.end());
  return std::move(buckets->numbers);
}

}  // namespace sample_sort
