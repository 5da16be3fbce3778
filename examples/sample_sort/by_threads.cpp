#include <barrier>
#include <memory>
#include <mutex>
#include <thread>

#include "sort.hpp"

namespace sample_sort {

namespace {

struct Bucket {
  std::mutex mutex;
  Numbers numbers;
};

}  // namespace

Numbers by_threads(std::span<const int> numbers, int threads) {
  const Numbers splitters = splitters_of(sample_of(numbers), threads);
  const auto count = static_cast<std::size_t>(threads);
  const auto buckets = std::make_unique<Bucket[]>(count);
  std::barrier all_there(threads);
  const auto work = [&](std::size_t id) {
    const std::size_t begin = numbers.size() * id / count;
    const std::size_t end = numbers.size() * (id + 1) / count;
    for (const int number : numbers.subspan(begin, end - begin)) {
      Bucket& bucket = buckets[static_cast<std::size_t>(part_of(number, splitters))];
      const std::lock_guard lock(bucket.mutex);
      bucket.numbers.push_back(number);
    }
    all_there.arrive_and_wait();
    std::sort(buckets[id].numbers.begin(), buckets[id].numbers.end());
  };
  {
    std::vector<std::jthread> team;
    for (std::size_t id = 0; id < count; ++id) team.emplace_back(work, id);
  }
  Numbers sorted;
  for (std::size_t id = 0; id < count; ++id)
    sorted.insert(sorted.end(), buckets[id].numbers.begin(), buckets[id].numbers.end());
  return sorted;
}

}  // namespace sample_sort
