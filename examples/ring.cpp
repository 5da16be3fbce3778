#include <cstdio>
#include <vector>

#include <armature/armature.hpp>

int main(int argc, char** argv) {
  return armature::run(argc, argv, [](armature::World& world) {
    // Every rank allocates a piece; piece.on(r) is rank r's, wherever it is.
    auto piece = world.allocate<double>(4);
    auto counter = world.allocate<long>(world.rank() == 0 ? 1 : 0);
    const int right = (world.rank() + 1) % world.size();

    // One-sided: the target does nothing for it.
    const std::vector<double> mine(4, world.rank());
    armature::put(piece.on(right), mine);
    armature::accumulate(piece.on(right), mine, {.scale = 0.5});
    const long ticket = armature::fetch_add(counter.on(0), 1);
    world.barrier();

    const double total = allreduce(world, piece[0]);
    const long tickets = armature::get(counter.on(0));
    if (world.rank() == 0)
      std::printf("%d ranks: total %g, tickets %ld\n", world.size(), total, tickets);
    return ticket < tickets ? 0 : 1;
  });
}
