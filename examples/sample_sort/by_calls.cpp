#include "sort.hpp"

namespace sample_sort {

namespace {

struct Bucket {
  Numbers numbers;
  explicit Bucket(std::size_t about) { numbers.reserve(about); }
  void push_back(int number) { numbers.push_back(number); }
};

}  // namespace

Numbers by_calls(const armature::World& world, std::span<const int> mine) {
  const Numbers splitters = common_splitters(world, mine);
  armature::shared<Bucket> buckets(world, mine.size() + mine.size() / 8);
  for (const int number : mine)
    buckets.async(part_of(number, splitters), &Bucket::push_back, number);
  armature::rmi_fence();
  std::sort(buckets->numbers.begin(), buckets->numbers.end());
  return std::move(buckets->numbers);
}

}  // namespace sample_sort
