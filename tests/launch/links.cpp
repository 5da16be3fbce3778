// A ring through all ranks in which the next one is `step` further: each moves a known number of
// bytes to or from the next one. Rank 0 says, of each rank, on which node it is.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <span>
#include <vector>

#include "armature/armature.hpp"

namespace {

constexpr std::size_t words = 500;

void execute() {}

/// 100 * 8 + 4000 + 1600 + 8 bytes of puts, gets and an atomic, and a message of 300: 6708.
void move_bytes(armature::global_ptr<std::int64_t> theirs, armature::Rank next,
                armature::Rank before) {
  for (std::int64_t i = 0; i < 100; ++i) armature::put(theirs, i);
  std::vector<std::int64_t> values(words, 7);
  armature::put(theirs, values);
  armature::get(values.data(), theirs, 200);
  (void)armature::fetch_add(theirs + words, std::int64_t{1});
  const std::vector<std::byte> text(300);
  armature::send(next, 1, text);
  std::vector<std::byte> came(300);
  (void)armature::receive(before, 1, came);
}

/// Each rank but the root has 8,000 bytes for the root, and gets 8,000 of rank 1. All read 4,000
/// bytes of each, and 800,000 by a reduction.
void meet(armature::World& world) {
  const std::vector<double> mine(1000);
  std::vector<double> all(mine.size() * static_cast<std::size_t>(world.size()));
  armature::gather<double>(world, mine, all, 0);
  std::vector<double> of_one(1000);
  armature::broadcast<double>(world, of_one, 1);
  armature::allgather<double>(world, std::span(mine).first(500),
                              std::span(all).first(all.size() / 2));
  std::vector<double> sums(100'000);
  armature::allreduce<double>(world, sums, std::plus<>());
}

int body(armature::World& world, int step, const char* what) {
  const int ranks = world.size(), me = world.rank();
  const armature::Rank next((me + step) % ranks), before((me - step + ranks) % ranks);
  auto memory = world.allocate<std::int64_t>(words + 1);
  world.barrier();
  move_bytes(memory.on(next), next, before);
  if (std::strcmp(what, "collectives") == 0) meet(world);
  for (int i = 0; i < 10 && std::strcmp(what, "notifications") == 0; ++i) armature::notify(next);
  if (std::strcmp(what, "calls") == 0)
    for (int i = 0; i < 100; ++i) armature::async(next, execute);
  world.barrier();
  for (int rank = 0; me == 0 && rank < ranks; ++rank)
    std::printf("rank %d is on node %d\n", rank, armature::node_of(armature::Rank(rank)).number());
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  const int step = std::atoi(argv[1]);
  return armature::run(argc, argv,
                       [&](armature::World& world) { return body(world, step, argv[2]); });
}
