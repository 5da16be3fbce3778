// Heat in a plate whose left edge is hot, by a distributed array with ghosts.
#include <cstdio>
#include <functional>

#include <armature/armature.hpp>
#include <armature/array.hpp>

int main(int argc, char** argv) {
  return armature::run(argc, argv, [](armature::World& world) {
    armature::distributed_array<double, 2> now(world, {40, 40}, {.name = "heat", .ghosts = {1, 1}});
    auto next = decltype(now)::like(now);
    armature::ghost_exchange ghosts(now, {.parts = armature::GhostParts::faces});
    const auto t = now.local(), u = next.local();
    if (now.region()[1].first() == 0)  // what lies outside of the plate there stays hot
      for (int i = 0; i < t.extent(0); ++i) t(i, -1) = 100;
    for (int step = 0; step < 300; ++step) {
      ghosts.run();
      for (int i = 0; i < t.extent(0); ++i)
        for (int j = 0; j < t.extent(1); ++j)
          u(i, j) = (t(i - 1, j) + t(i + 1, j) + t(i, j - 1) + t(i, j + 1)) / 4;
      transform(now, std::identity(), next);
    }
    const double heat = sum(now);
    if (world.rank() == 0) std::printf("heat %.3f, in the middle %.3f\n", heat, +now(20, 20));
    now.fence();
  });
}
