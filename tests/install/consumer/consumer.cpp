// A user's program: each rank writes its number into its neighbour's memory.
#include <armature/armature.hpp>

#include <cstdio>

int main(int argc, char** argv) {
  return armature::run(argc, argv, [](armature::World& world) {
    auto piece = world.allocate<int>(1);
    auto right = (world.rank() + 1) % world.size();
    armature::put_value(piece.on(right), static_cast<int>(world.rank()));
    world.fence_all();
    world.barrier();
    auto left = (world.rank() + world.size() - 1) % world.size();
    std::puts(*piece.local() == static_cast<int>(left) ? "agrees" : "differs");
  });
}
