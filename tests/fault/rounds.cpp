// rounds [long|fences|teams]: all ranks do one collective after the other, check what comes out of
// each, and do so until somebody kills one of them; or such of long data, or nothing but fences, or
// teams that they make. Who then gets an error says which call it was, and in which round, and
// leaves.

#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstdio>
#include <numeric>
#include <string>
#include <vector>

#include "armature/armature.hpp"
#include "armature/rmi.hpp"

namespace {

using armature::World;

void require(bool good, const char* call, int round) {
  if (good) return;
  std::printf("%s %d: wrong result\n", call, round);
  std::fflush(stdout);
  _exit(3);
}

void one_round(World& world, int round, const char*& call) {
  const int size = world.size();
  const int root = round % size;
  call = "barrier";
  world.barrier();
  call = "broadcast";
  const std::int64_t said = broadcast(world, std::int64_t{world.rank() == root ? round : -1}, root);
  require(said == round, call, round);
  // More than a packet, and more than a line of a round has room for.
  std::vector<std::int64_t> many(5000, world.rank() == root ? round : -1);
  broadcast(world, std::span(many), root);
  require(std::ranges::count(many, round) == std::ssize(many), call, round);
  const int me = static_cast<int>(world.rank());
  call = "gather";
  const std::vector<int> ranks = gather(world, me + round, root);
  require(me != root || (ranks.front() == round && ranks.back() == round + size - 1), call, round);
  call = "scatter";
  std::vector<int> blocks(me == root ? static_cast<std::size_t>(size) : 0);
  std::iota(blocks.begin(), blocks.end(), round);
  require(scatter(world, std::span<const int>(blocks), root) == me + round, call, round);
  call = "reduce";
  const int total = reduce(world, me + round, root);
  require(me != root || total == size * (size - 1) / 2 + size * round, call, round);
  call = "scan";
  require(scan(world, 1) == me + 1, call, round);
  std::vector<std::int64_t> ones(5000, 1);
  scan(world, std::span(ones));
  require(std::ranges::count(ones, me + 1) == std::ssize(ones), call, round);
  call = "allreduce";
  const int sum = allreduce(world, me + round);
  require(sum == size * (size - 1) / 2 + size * round, call, round);
  std::vector<std::int64_t> terms(3000);
  std::iota(terms.begin(), terms.end(), round);
  allreduce(world, std::span(terms));
  for (std::size_t i = 0; i < terms.size(); ++i)
    require(terms[i] == (round + static_cast<std::int64_t>(i)) * size, call, round);
}

/// Data that members read where the others have them: every other rank's lie in its segment.
void one_round_of_long_data(World& world, int round, const char*& call) {
  constexpr std::size_t block = 10'000;
  using Words = std::vector<std::int64_t>;
  const auto size = static_cast<std::size_t>(world.size());
  static Words own(block * size);
  static const auto shared = world.allocate_local<std::int64_t>(block * size);
  const std::span<std::int64_t> mine =
      world.rank() % 2 == 0 ? std::span(own) : std::span(shared.address(), own.size());
  const int root = round % world.size();
  Words all(block * size);

  call = "broadcast";
  std::ranges::fill(mine, world.rank() == root ? round : -1);
  broadcast(world, mine, root);
  require(std::ranges::count(mine, round) == std::ssize(mine), call, round);
  call = "gather";
  gather(world, std::span<const std::int64_t>(mine.first(block)), std::span(all), root);
  require(world.rank() != root || std::ranges::count(all, round) == std::ssize(all), call, round);
  call = "alltoall";
  std::ranges::fill(mine, world.rank() + round);
  alltoall(world, std::span<const std::int64_t>(mine), std::span(all));
  for (std::size_t i = 0; i < all.size(); ++i)
    require(all[i] == static_cast<std::int64_t>(i / block) + round, call, round);
  call = "allreduce";
  std::ranges::fill(mine, round);
  allreduce(world, mine);
  require(std::ranges::count(mine, std::int64_t{round} * world.size()) == std::ssize(mine), call,
          round);
  call = "scatter";
  scatter(world, std::span<const std::int64_t>(all), mine.first(block), root);
  require(mine[block - 1] == world.rank() + round, call, round);
}

/// Each calls the next one, before and after fences.
void one_round_of_fences(World& world, int round, const char*& call) {
  static std::atomic<int> calls{0};
  const int next = (world.rank() + 1) % world.size();
  call = "rmi_fence";
  armature::async(next, [] { ++calls; });
  armature::rmi_fence(world);
  require(calls > round, call, round);
  armature::rmi_fence(world);
}

void one_round_of_teams(World& world, int round, const char*& call) {
  call = "split";
  const armature::Team part = world.split((world.rank() + round) % 2, 0);
  require(allreduce(part, 1) == part.size(), call, round);
  call = "rmi_fence";
  armature::rmi_fence(part);
  call = "create";
  std::vector<armature::Rank> members;
  for (int i = 0; i < world.size(); ++i) members.emplace_back((i + round) % world.size());
  const armature::Team all = armature::Team::create(members);
  require(allreduce(all, 1) == world.size(), call, round);
}

using Round = void (*)(World& world, int round, const char*& call);

int run(World& world, Round one_round) {
  std::printf("rank %d is process %d\n", static_cast<int>(world.rank()), getpid());
  std::fflush(stdout);
  const char* call = "";
  int round = 0;
  try {
    for (;; ++round) one_round(world, round, call);
  } catch (const armature::Error& error) {
    std::printf("rank %d: %s %d: %s: %s\n", static_cast<int>(world.rank()), call, round,
                error.code() == armature::Errc::rank_lost ? "lost" : "wrong", error.what());
    std::fflush(stdout);
  }
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  const std::string what = argc > 1 ? argv[1] : "";
  const Round round = what == "long"     ? one_round_of_long_data
                      : what == "fences" ? one_round_of_fences
                      : what == "teams"  ? one_round_of_teams
                                         : one_round;
  return armature::run(argc, argv, [round](World& world) { return run(world, round); });
}
