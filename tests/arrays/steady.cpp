// A schedule that has been planned runs without allocating: copies between distributions, an
// overlapping shift, and ghosts.
#include <cstdio>

#include <armature/armature.hpp>
#include <armature/array.hpp>

#include "../hotpath/counting_malloc.hpp"

using armature::Distribution;
using armature::Range;

int main(int argc, char** argv) {
  return armature::run(argc, argv, [](armature::World& world) {
    const auto none = Distribution::collapsed();
    armature::distributed_array<double, 2> rows(
        world, {60, 60}, {.distribution = {Distribution::block(), none}, .ghosts = {1, 1}});
    armature::distributed_array<double, 2> columns(
        world, {60, 60}, {.distribution = {none, Distribution::cyclic(3)}});
    armature::copy_schedule remap(columns.all(), rows.all());
    armature::copy_schedule back(rows.all(), columns.all());
    armature::copy_schedule shift(rows[{Range(1, 60), Range()}], rows[{Range(0, 59), Range()}]);
    armature::ghost_exchange ghosts(rows, {.periodic = {true, true}});
    const auto everything = [&] {
      remap.run();
      shift.run();
      ghosts.run();
      back.run();
    };
    fill(rows, 1);
    everything();
    const long before = allocations;
    for (int i = 0; i < 20; ++i) everything();
    const long after = allocations;
    const long all = allreduce(world, after - before);
    if (world.rank() == 0)
      std::printf("%ld allocations: %s\n", all,
                  all == 0 ? "what is planned allocates nothing" : "there should be none");
    return all == 0 ? 0 : 1;
  });
}
