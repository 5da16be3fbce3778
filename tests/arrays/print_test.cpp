// Arrays as text.
#include <complex>
#include <cstdio>
#include <limits>
#include <memory>

#include "cases.hpp"

using namespace arrays;

namespace {

struct Close {
  void operator()(std::FILE* file) const { (void)std::fclose(file); }
};
using File = std::unique_ptr<std::FILE, Close>;

/// Returns what member 0 prints; nothing at others.
template <class T, int N>
std::string printed(const armature::distributed_array<T, N>& array) {
  const File file(me() == 0 ? std::tmpfile() : nullptr);
  print(array, file.get());
  std::string text;
  if (me() != 0) return text;
  std::rewind(file.get());
  for (int c = 0; (c = std::fgetc(file.get())) != EOF;) text += static_cast<char>(c);
  return text;
}

#define EXPECT_PRINTS(array, text)           \
  do {                                       \
    const std::string seen = printed(array); \
    if (me() == 0) EXPECT_EQ(seen, text);    \
  } while (false)

}  // namespace

TEST(Print, rows_have_their_indices_before_them) {
  armature::distributed_array<double, 2> array(
      world(), {3, 4}, {.name = "heat", .distribution = {Distribution::cyclic(), {}}});
  generate(array, [](const auto& i) {
    return 10.0 * static_cast<double>(i[0]) + 0.25 * static_cast<double>(i[1]);
  });
  EXPECT_PRINTS(array,
                "array 'heat', 3 x 4:\n(0, :) 0 0.25 0.5 0.75\n(1, :) 10 10.25 10.5 10.75\n"
                "(2, :) 20 20.25 20.5 20.75\n");
  armature::distributed_array<int, 3> cube(world(), {2, 2, 2},
                                           {.order = armature::Order::column_major});
  generate(cube, [](const auto& i) { return static_cast<int>(100 * i[0] + 10 * i[1] + i[2]); });
  EXPECT_PRINTS(cube,
                "array 'array', 2 x 2 x 2:\n(0, 0, :) 0 1\n(0, 1, :) 10 11\n(1, 0, :) 100 101\n"
                "(1, 1, :) 110 111\n");
}

TEST(Print, all_kinds_of_elements) {
  armature::distributed_array<bool, 1> truths(world(), {2}, {.name = "b"});
  fill(truths, true);
  EXPECT_PRINTS(truths, "array 'b', 2:\n(:) 1 1\n");
  armature::distributed_array<signed char, 1> small(world(), {1}, {.name = "c"});
  fill(small, static_cast<signed char>(-65));
  EXPECT_PRINTS(small, "array 'c', 1:\n(:) -65\n");
  armature::distributed_array<std::uint64_t, 1> large(world(), {1}, {.name = "u"});
  fill(large, std::numeric_limits<std::uint64_t>::max());
  EXPECT_PRINTS(large, "array 'u', 1:\n(:) 18446744073709551615\n");
  armature::distributed_array<std::complex<float>, 1> complex(world(), {1}, {.name = "z"});
  fill(complex, std::complex<float>(0.1F, -2));
  EXPECT_PRINTS(complex, "array 'z', 1:\n(:) (0.1,-2)\n");
  armature::distributed_array<double, 1> longest(world(), {1}, {.name = "d"});
  fill(longest, -2.2250738585072014e-308);
  EXPECT_PRINTS(longest, "array 'd', 1:\n(:) -2.2250738585072014e-308\n");
  const armature::distributed_array<float, 2> none(world(), {0, 3}, {.name = "none"});
  EXPECT_PRINTS(none, "array 'none', 0 x 3:\n");
}

TEST(Print, long_rows_of_any_distribution) {
  for_seeds(5, [](Random& random) {
    Numbered<2> array(random, {2, random(4090, 8200)}, 0);
    std::string text = "array 'tested', 2 x " + std::to_string(array.model.shape[1]) + ":";
    for_all<2>(array.model.shape, [&](const Indices<2>& i) {
      if (i[1] == 0) text += "\n(" + std::to_string(i[0]) + ", :)";
      text += " " + std::to_string(array.model[i]);
    });
    EXPECT_PRINTS(array.array, text + "\n");
  });
}

TEST(Print, what_the_system_refuses_is_told_by_all) {
  armature::distributed_array<double, 1> array(world(), {3}, {.name = "heat"});
  const File full(me() == 0 ? std::fopen("/dev/full", "w") : nullptr);
  conformance::expect_error(armature::Errc::bad_argument,
                            {"'heat' cannot be printed", "No space left"},
                            [&] { print(array, full.get()); });
}
