#include <complex>
#include <cstdio>
#include <fstream>

#include "cases.hpp"
#include "file.hpp"

using namespace arrays;

namespace {

/// An array goes to a file and comes back to another one of other distributions and order.
template <class T, int N>
void there_and_back(std::uint64_t seed) {
  Random random(seed);
  const auto shape = random_shape<N>(random, N == 1 ? 50 : 9);
  const auto value = [](const Indices<N>& i) {
    long sum = 0;
    for (const std::ptrdiff_t n : i) sum = 10 * sum + n;
    if constexpr (std::is_same_v<T, bool>)
      return sum % 2 == 1;
    else if constexpr (std::is_same_v<T, std::complex<float>>)
      return T(static_cast<float>(sum), static_cast<float>(-sum));
    else
      return static_cast<T>(sum);
  };
  armature::distributed_array<T, N> from(
      world(), shape, random_options<N>(random, shape, random_kinds<N>(random), true));
  armature::distributed_array<T, N> to(
      world(), shape, random_options<N>(random, shape, random_kinds<N>(random), true));
  generate(from, value);
  const SharedFile file;
  write_npy(file.path(), from);
  read_npy(file.path(), to);
  for_all<N>(to.local().extents(),
             [&](const Indices<N>& i) { EXPECT_EQ(to.local()[i], value(to.global(i))); });
  const auto again = armature::read_npy<T, N>(world(), file.path());
  EXPECT_EQ(again.shape(), shape);
  for_all<N>(again.local().extents(),
             [&](const Indices<N>& i) { EXPECT_EQ(again.local()[i], value(again.global(i))); });
  from.fence();
}

}  // namespace

TEST(Npy, arrays_come_back_whatever_their_distributions_and_order) {
  for (int i = 0; i < conformance::often(20) && !testing::Test::HasFailure(); ++i) {
    const testing::ScopedTrace trace(__FILE__, __LINE__, "seed " + std::to_string(i));
    const auto seed = static_cast<std::uint64_t>(i);
    there_and_back<double, 1>(seed);
    there_and_back<std::int16_t, 2>(seed);
    there_and_back<std::complex<float>, 3>(seed);
    there_and_back<bool, 2>(seed);
  }
}

TEST(Npy, empty_arrays_come_back) {
  const armature::distributed_array<double, 2> none(world(), {0, 5});
  const SharedFile file;
  write_npy(file.path(), none);
  EXPECT_EQ((armature::read_npy<double, 2>(world(), file.path()).shape()), (Indices<2>{0, 5}));
}

TEST(Npy, files_that_do_not_fit_are_refused_by_all) {
  armature::distributed_array<double, 2> a(world(), {3, 4});
  const SharedFile file;
  write_npy(file.path(), a);
  const std::string& path = file.path();
  const auto refused = [&](const std::vector<std::string>& words, auto call) {
    std::vector<std::string> all = words;
    all.push_back(path);
    conformance::expect_error(armature::Errc::bad_argument, all, call);
  };
  armature::distributed_array<float, 2> of_float(world(), {3, 4});
  refused({"'<f8'", "'<f4'"}, [&] { read_npy(path, of_float); });
  armature::distributed_array<double, 2> other(world(), {4, 3});
  refused({"3 x 4", "4 x 3"}, [&] { read_npy(path, other); });
  refused({"2 dimensions", "not 3"}, [&] { (void)armature::read_npy<double, 3>(world(), path); });
  if (me() == 0) {
    EXPECT_EQ(truncate(path.c_str(), 128 + 95), 0);
  }
  world().barrier();
  refused({"223 bytes", "of 224"}, [&] { read_npy(path, a); });
  file.hold("something else");
  refused({"not a file of NumPy"}, [&] { read_npy(path, a); });
  conformance::expect_error(armature::Errc::bad_argument, {"/nowhere/x.npy", "No such file"},
                            [&] { write_npy("/nowhere/x.npy", a); });
  conformance::expect_error(armature::Errc::bad_argument, {"/nowhere/x.npy", "No such file"},
                            [&] { read_npy("/nowhere/x.npy", a); });
}
