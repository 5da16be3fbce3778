// A user's program: each rank writes its number into its neighbour's memory.
#include <cstdio>

#include <armature/armature.hpp>

int main(int argc, char** argv) {
  return armature::run(argc, argv, [](armature::World& world) {
    auto piece = world.allocate<int>(1);
    armature::put(piece.on((world.rank() + 1) % world.size()), world.rank());
    world.fence_all();
    world.barrier();
    const int left = (world.rank() + world.size() - 1) % world.size();
    std::puts(piece[0] == left ? "agrees" : "differs");
  });
}
