// rounds: all ranks do one collective after the other, check what comes out of each, and do so
// until somebody kills one of them. Who then gets an error says which call it was, and in which
// round, and leaves.

#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <numeric>
#include <vector>

#include "armature/armature.hpp"

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
  const std::int64_t said = world.broadcast(std::int64_t{world.rank() == root ? round : -1}, root);
  require(said == round, call, round);
  // More than a packet, and more than a line of a round has room for.
  std::vector<std::int64_t> many(5000, world.rank() == root ? round : -1);
  world.broadcast(std::span(many), root);
  require(std::ranges::count(many, round) == std::ssize(many), call, round);
  call = "allreduce";
  const int sum = world.allreduce(static_cast<int>(world.rank()) + round);
  require(sum == size * (size - 1) / 2 + size * round, call, round);
  std::vector<std::int64_t> terms(3000);
  std::iota(terms.begin(), terms.end(), round);
  world.allreduce(std::span(terms));
  for (std::size_t i = 0; i < terms.size(); ++i)
    require(terms[i] == (round + static_cast<std::int64_t>(i)) * size, call, round);
}

int run(World& world) {
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

int main(int argc, char** argv) { return armature::run(argc, argv, run); }
