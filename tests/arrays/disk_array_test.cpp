#include "cases.hpp"
#include "file.hpp"

using namespace arrays;

namespace {

/// A file and what should be in it.
template <int N>
struct OnDisk {
  OnDisk(Random& random, const std::string& path, const Indices<N>& shape)
      : array(world(), path, shape,
              random(0, 1) == 0 ? armature::Order::row_major : armature::Order::column_major),
        model(shape) {}

  armature::disk_array<long, N> array;
  Model<N> model;
};

/// Ranges of other arrays of the same shape.
template <int N>
Ranges<N> random_partners(Random& random, const Ranges<N>& ranges, const Indices<N>& shape) {
  Ranges<N> partners;
  for (std::size_t d = 0; d < N; ++d)
    partners[d] = ranges[d].is_index() ? Range(random(0, shape[d] - 1))
                                       : random_partner(random, ranges[d], shape[d]);
  return partners;
}

template <int N>
void write_and_read(Random& random) {
  const SharedFile file;
  const auto shape = random_shape<N>(random, N == 1 ? 40 : 8);
  OnDisk<N> disk(random, file.path(), shape);
  for (long round = 0; round < 3; ++round) {
    Numbered<N> from(random, shape, 1000 * (round + 1)), to(random, shape, -1);
    const auto in_file = random_ranges<N>(random, shape);
    const auto in_array = random_partners<N>(random, in_file, shape);
    disk.array.write(in_file, from.array[in_array]);
    std::vector<long> moved;
    for_section<N>(in_array, [&](const Indices<N>& i) { moved.push_back(from.model[i]); });
    std::size_t k = 0;
    for_section<N>(in_file, [&](const Indices<N>& i) { disk.model[i] = moved[k++]; });
    // Another section, and what was never written is 0. Opened again in between.
    armature::disk_array<long, N> opened(world(), file.path());
    EXPECT_EQ(opened.shape(), shape);
    EXPECT_EQ(opened.order(), disk.array.order());
    const auto again = random_ranges<N>(random, shape);
    const auto there = random_partners<N>(random, again, shape);
    opened.read(to.array[there], again);
    moved.clear();
    for_section<N>(again, [&](const Indices<N>& i) { moved.push_back(disk.model[i]); });
    k = 0;
    for_section<N>(there, [&](const Indices<N>& i) { to.model[i] = moved[k++]; });
    expect_blocks(to.array, to.model);
    to.array.fence();
  }
  // It is a file like any other.
  Numbered<N> whole(random, shape, 0);
  armature::read_npy(file.path(), whole.array);
  expect_blocks(whole.array, disk.model);
  whole.array.fence();
}

}  // namespace

TEST(DiskArray, sections_of_arrays_and_of_files_are_exchanged) {
  for_seeds(15, [](Random& random) {
    write_and_read<1>(random);
    write_and_read<2>(random);
    write_and_read<3>(random);
  });
}

TEST(DiskArray, mistakes_name_the_file_and_why) {
  using armature::Errc;
  const SharedFile file;
  armature::disk_array<long, 2> disk(world(), file.path(), {6, 4});
  armature::distributed_array<long, 2> a(world(), {6, 4}, {.name = "a"});
  conformance::expect_error(Errc::bad_argument, {file.path(), "6 x 4", "6 x 3", "'a'"}, [&] {
    disk.write({}, a[{Range(), Range(0, 3)}]);
  });
  conformance::expect_error(Errc::bad_argument, {file.path(), "index 6", "dimension 0", "0 to 5"},
                            [&] {
                              disk.read(a.all(), {Range(1, 7), Range()});
                            });
  conformance::expect_error(Errc::bad_argument, {file.path(), "2 dimensions, not 3"},
                            [&] { armature::disk_array<long, 3>(world(), file.path()); });
  conformance::expect_error(Errc::bad_argument, {file.path(), "<i8", "<f8"},
                            [&] { armature::disk_array<double, 2>(world(), file.path()); });
  conformance::expect_error(Errc::bad_argument, {"/nowhere/x.npy", "cannot be opened"},
                            [&] { armature::disk_array<long, 2>(world(), "/nowhere/x.npy"); });
  if (ranks() > 1) {
    const auto alone = world().split(me(), 0);
    const armature::distributed_array<long, 2> mine(alone, {6, 4}, {.name = "mine"});
    conformance::expect_error(Errc::bad_argument, {file.path(), "'mine'", "another team"},
                              [&] { disk.write({}, mine.all()); });
  }
  // A short file is not read, and the next call is as good as any.
  fill(a, 7);
  disk.write({}, a.all());
  if (me() == 0) EXPECT_EQ(truncate(file.path().c_str(), 200), 0);
  world().barrier();
  conformance::expect_error(Errc::bad_argument, {file.path(), "ends at byte 200"},
                            [&] { disk.read(a.all(), {}); });
  EXPECT_EQ(sum(a), 7 * 24);
  disk.write({}, a.all());
  fill(a, 0);
  disk.read(a.all(), {});
  EXPECT_EQ(sum(a), 7 * 24);
}
