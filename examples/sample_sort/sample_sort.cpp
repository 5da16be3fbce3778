// Sample sort written three ways (armi-rmi-2003, figures 1 to 3), from fine-grained shared memory
// over coarse messages to fine-grained remote calls; with calls of many numbers; and as one call of
// the library:
//
//   armature run -n 2 sample_sort [--n 10000000]
//
// Each way's result is checked. The efficiency compares its time with that of std::sort on one
// rank's share of the numbers.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <string_view>

#include <armature/clock.hpp>

#include "sort.hpp"

namespace {

using armature::World;
using sample_sort::Numbers;

/// The seconds since then, in a simulation by its clock.
double seconds_since(std::uint64_t start_ns) {
  return 1e-9 * static_cast<double>(armature::clock_ns() - start_ns);
}

Numbers random_numbers(std::size_t count, int seed) {
  std::mt19937 random(static_cast<unsigned>(seed));
  Numbers numbers(count);
  for (int& number : numbers) number = static_cast<int>(random());
  return numbers;
}

/// Properties that must not change when numbers are sorted.
struct Tally {
  std::size_t count = 0;
  std::uint64_t sum = 0;
  explicit Tally(const Numbers& numbers) : count(numbers.size()) {
    for (const int number : numbers) sum += static_cast<std::uint64_t>(number);
  }
  Tally over(const World& world) const {
    Tally all = *this;
    all.count = allreduce(world, count);
    all.sum = allreduce(world, sum);
    return all;
  }
  bool operator==(const Tally&) const = default;
};

/// Sorted on every rank, and from rank to rank; an empty rank passes on its predecessor's end.
bool is_sorted_over(const World& world, const Numbers& mine) {
  struct Ends {
    int first, last;
    bool empty;
  };
  const Ends ends{mine.empty() ? 0 : mine.front(), mine.empty() ? 0 : mine.back(), mine.empty()};
  bool good = std::is_sorted(mine.begin(), mine.end());
  const Ends* before = nullptr;
  const std::vector<Ends> all = allgather(world, ends);
  for (const Ends& each : all) {
    if (each.empty) continue;
    if (before != nullptr && before->last > each.first) good = false;
    before = &each;
  }
  return allreduce(world, good ? 1 : 0, armature::Minimum()) == 1;
}

void print(const char* name, double seconds, double share_seconds, bool good) {
  std::printf("%-15s %9.4f s   efficiency %4.0f %%   %s\n", name, seconds,
              100 * share_seconds / std::max(seconds, 1e-9), good ? "sorted" : "WRONG");
  std::fflush(stdout);
}

bool by_ranks(const World& world, const char* name, const Numbers& mine, double share_seconds,
              Numbers (*sort)(const World&, std::span<const int>)) {
  world.barrier();
  const std::uint64_t start_ns = armature::clock_ns();
  const Numbers sorted = sort(world, mine);
  world.barrier();
  const double seconds = seconds_since(start_ns);
  const bool good =
      is_sorted_over(world, sorted) && Tally(sorted).over(world) == Tally(mine).over(world);
  if (world.rank() == 0) print(name, seconds, share_seconds, good);
  return good;
}

/// Threads know nothing of ranks: rank 0 sorts all numbers alone, while the others wait.
bool by_threads(const World& world, std::size_t n, double share_seconds) {
  if (world.rank() != 0) return true;
  const Numbers numbers = random_numbers(n, 0);
  const std::uint64_t start_ns = armature::clock_ns();
  const Numbers sorted = sample_sort::by_threads(numbers, world.size());
  const double seconds = seconds_since(start_ns);
  const bool good = std::is_sorted(sorted.begin(), sorted.end()) && Tally(sorted) == Tally(numbers);
  print("threads, locks", seconds, share_seconds, good);
  return good;
}

double share_seconds(const World& world, const Numbers& mine) {
  Numbers copy = mine;
  world.barrier();
  const std::uint64_t start_ns = armature::clock_ns();
  std::sort(copy.begin(), copy.end());
  return allreduce(world, seconds_since(start_ns), armature::Maximum());
}

/// 0 where it is no count from 1 to 10^12.
std::size_t count_of(const char* text) {
  constexpr long long count_max = 1'000'000'000'000;
  char* end = nullptr;
  const long long count = std::strtoll(text, &end, 10);
  return *end == '\0' && count > 0 && count <= count_max ? static_cast<std::size_t>(count) : 0;
}

}  // namespace

int main(int argc, char** argv) {
  std::size_t n = 10'000'000;
  const bool is_given = argc == 3 && std::string_view(argv[1]) == "--n";
  if (is_given) n = count_of(argv[2]);
  if ((argc != 1 && !is_given) || n == 0) {
    std::fprintf(stderr, "usage: sample_sort [--n COUNT]\n");
    return 2;
  }
  return armature::run(argc, argv, [n](World& world) {
    const auto ranks = static_cast<std::size_t>(world.size()),
               me = static_cast<std::size_t>(world.rank());
    const Numbers mine = random_numbers(n * (me + 1) / ranks - n * me / ranks, world.rank());
    const double share = share_seconds(world, mine);
    if (world.rank() == 0)
      std::printf("%zu numbers, %zu ranks; std::sort of a share: %.3f s\n", n, ranks, share);
    bool good = by_threads(world, n, share);
    world.barrier();
    good = by_ranks(world, "messages", mine, share, sample_sort::by_messages) && good;
    good = by_ranks(world, "remote calls", mine, share, sample_sort::by_calls) && good;
    good = by_ranks(world, "calls of blocks", mine, share, sample_sort::by_blocks) && good;
    good = by_ranks(world, "algorithm", mine, share, sample_sort::by_algorithm) && good;
    return good ? 0 : 1;
  });
}
