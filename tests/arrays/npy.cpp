// Arrays that Python reads, and reads those that Python has written: see npy.py.
//
//   arrays_npy write FOLDER    writes rows.npy, columns.npy and flags.npy there
//   arrays_npy read FILE       prints the elements in the order of a C array
#include <cstdint>
#include <cstdio>
#include <string>

#include <armature/armature.hpp>
#include <armature/array.hpp>

namespace {

using armature::Distribution;
using armature::World;

void write(World& world, const std::string& folder) {
  armature::distributed_array<double, 2> rows(world, {7, 5},
                                              {.distribution = {Distribution::cyclic(2)}});
  armature::distributed_array<std::int32_t, 3> columns(world, {3, 4, 5},
                                                       {.order = armature::Order::column_major});
  armature::distributed_array<bool, 1> flags(world, {9});
  generate(rows, [](const auto& i) { return static_cast<double>(10 * i[0] + i[1]) + 0.5; });
  generate(columns,
           [](const auto& i) { return static_cast<std::int32_t>(100 * i[0] + 10 * i[1] + i[2]); });
  generate(flags, [](const auto& i) { return i[0] % 3 == 0; });
  write_npy(folder + "/rows.npy", rows);
  write_npy(folder + "/columns.npy", columns);
  write_npy(folder + "/flags.npy", flags);
}

void read(World& world, const std::string& path) {
  const auto array = armature::read_npy<double, 2>(
      world, path, {.distribution = {Distribution::block(), Distribution::cyclic()}});
  if (world.rank() == 0)
    for (const double x : array.all().get()) std::printf("%g\n", x);
  array.fence();
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  const std::string what = argv[1], where = argv[2];
  return armature::run(argc, argv, [&](World& world) {
    if (what == "write")
      write(world, where);
    else
      read(world, where);
  });
}
