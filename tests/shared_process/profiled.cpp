// Compiled with -pg: what such a program begins with is called before any constructor.
#include <cstdio>

#include <armature/armature.hpp>

int main(int argc, char** argv) {
  return armature::run(argc, argv, [](armature::World& world) {
    const int all = allreduce(world, 1);
    if (world.rank() == 0) std::printf("%d ranks are profiled\n", all);
  });
}
