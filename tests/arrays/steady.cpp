// A schedule that has been planned runs without allocating: copies between distributions, an
// overlapping shift, ghosts, and transfers and assignments of sections, which need no schedule if
// they repeat. Between nodes a get allocates what takes the answer, so that those are left out.
#include <cstdio>
#include <span>
#include <vector>

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
    // Transfers of sections: scheduled ones, and calls that repeat, to and from two buffers.
    std::vector<double> one(30 * 60), other(30 * 60);
    const auto half = rows[{Range(0, 60, 2), Range()}];
    const auto dealt = columns[{Range(15, 45), Range()}];
    auto fetch = dealt.get_schedule(std::span(one));
    auto add = half.accumulate_schedule(std::span<const double>(one), 0.5);
    const bool is_one_node = armature::same_node(0, world.size() - 1);
    const auto with_gets = [&] {
      fetch.run();
      half.get(one);
      half.get(other);
      ghosts.run();
    };
    const auto everything = [&] {
      if (is_one_node) with_gets();
      add.run();
      dealt.put(one);
      dealt.accumulate(other, 2);
      columns.all() = rows.all().transposed();
      rows[{Range(0, 59), Range()}] = rows[{Range(1, 60), Range()}];
      remap.run();
      shift.run();
      back.run();
    };
    fill(rows, 1);
    everything();
    // A wait, or the network's library, may allocate once in a while; a plan would in each round.
    long all = -1;
    for (int turn = 0; turn < 20 && all != 0; ++turn) {
      const long before = allocations;
      for (int i = 0; i < 20; ++i) everything();
      const long after = allocations;
      all = allreduce(world, after - before);
    }
    if (world.rank() == 0)
      std::printf("%ld allocations: %s\n", all,
                  all == 0 ? "what is planned allocates nothing" : "there should be none");
    return all == 0 ? 0 : 1;
  });
}
