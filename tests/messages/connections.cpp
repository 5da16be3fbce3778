// To whom processes connect: those that they send something to. Each rank writes to its neighbours
// in a ring, all meet in barriers and an allreduce, and the processes count their connections.
#include <cstddef>
#include <cstdio>
#include <set>
#include <vector>

#include <armature/armature.hpp>

namespace {

/// The processes of other nodes that process `me` needs: its neighbours' and, where it is the first
/// of its node, those that are so on the other nodes, which meet for all.
std::set<int> partners(int me, int ranks) {
  const auto node = [](int rank) { return armature::node_of(rank); };
  const auto is_first = [&](int rank) { return rank == 0 || node(rank) != node(rank - 1); };
  std::set<int> found;
  for (const int other : {(me + 1) % ranks, (me + ranks - 1) % ranks})
    if (node(other) != node(me)) found.insert(other);
  for (int other = 0; other < ranks; ++other)
    if (is_first(me) && is_first(other) && node(other) != node(me)) found.insert(other);
  return found;
}

/// Calls to this process, which has one rank.
int calls = 0;

struct Called {
  void call() { ++calls; }
};

int body(armature::World& world) {
  const int me = world.rank(), ranks = world.size();
  auto halo = world.allocate<int>(2);
  auto far = world.allocate<int>(1);
  armature::shared<Called> called(world);
  for (int round = 0; round < 5; ++round) {
    armature::put(halo.on((me + 1) % ranks), me);
    armature::put(halo.on((me + ranks - 1) % ranks) + 1, me);
    world.barrier();
  }
  if (allreduce(world, 1) != ranks) return 1;
  const auto expected = static_cast<int>(partners(me, ranks).size());
  const int is = armature::connected_processes();
  if (is != expected) std::printf("rank %d: %d connections, %d expected\n", me, is, expected);
  world.barrier();
  // To a rank that knows nothing of this one yet. Nobody waits for them: they come all the same
  // before the job ends.
  const int other = (me + ranks / 2) % ranks;
  armature::put(far.on(other), me);
  called.async(other, &Called::call);
  return is == expected ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  const int status = armature::run(argc, argv, body);
  if (calls != 1) std::printf("%d calls have come instead of 1\n", calls);
  return calls == 1 ? status : 1;
}
