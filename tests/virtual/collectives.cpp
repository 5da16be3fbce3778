// Ranks move from process to process of their node while collectives are under way.
//
//   virtual_collectives ROUNDS
#include <cstdio>
#include <cstdlib>
#include <set>
#include <vector>

#include <armature/armature.hpp>
#include <armature/virtual.hpp>

#include "under_way.hpp"

namespace {

int body(armature::World& world, int rounds) {
  std::set<int> here;
  for (int rank = 0; rank < world.size(); ++rank)
    if (armature::same_node(world.rank(), rank)) here.insert(armature::process_of(rank).number());
  const std::vector<int> processes(here.begin(), here.end());
  for (int round = 0; round < rounds; ++round) {
    UnderWay collectives(world);
    const auto next = static_cast<std::size_t>(world.rank() + round) % processes.size();
    armature::migrate(armature::ProcessId(processes[next]));
    require(armature::process_of(world.rank()).number() == processes[next], "it is elsewhere");
    collectives.finish();
  }
  if (world.rank() == 0) std::printf("%d rounds: well\n", rounds);
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  const int rounds = argc > 1 ? std::atoi(argv[1]) : 10;
  return armature::run(argc, argv, [&](armature::World& world) { return body(world, rounds); });
}
