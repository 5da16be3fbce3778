#include <algorithm>
#include <complex>

#include "reachable.hpp"

using namespace conformance;
using armature::accumulate;
using armature::Iov;
using armature::Strided;

namespace {

/// Small whole numbers, so that sums are exact in every type and in any order.
template <class T>
T small(std::size_t i) {
  return static_cast<T>(static_cast<int>(i % 7) - 3);
}
template <>
std::complex<float> small(std::size_t i) {
  return {small<float>(i), small<float>(i + 3)};
}
template <>
std::complex<double> small(std::size_t i) {
  return {small<double>(i), small<double>(i + 3)};
}

template <class T>
std::vector<T> smalls(std::size_t n, std::size_t from = 0) {
  std::vector<T> values(n);
  for (std::size_t i = 0; i < n; ++i) values[i] = small<T>(from + i);
  return values;
}

template <class T>
class Accumulate : public testing::Test {};
using Types = testing::Types<std::int32_t, std::int64_t, float, double, std::complex<float>,
                             std::complex<double>>;

const std::size_t lengths[] = {0, 1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 100, 511, 512, 1000, 20000};

}  // namespace

TYPED_TEST_SUITE(Accumulate, Types);

RANKS_TYPED_TEST(Accumulate, adds_to_what_is_there) {
  using T = TypeParam;
  auto piece = Reachable<T>(20001);
  for (const std::size_t n : lengths) {
    for (std::size_t i = 0; i <= n; ++i) piece[i] = small<T>(2 * i + 1);
    world().barrier();
    accumulate(piece.on(right()), smalls<T>(n, static_cast<std::size_t>(me())));
    world().barrier();
    for (std::size_t i = 0; i < n; ++i)
      ASSERT_EQ(piece[i], small<T>(2 * i + 1) + small<T>(i + static_cast<std::size_t>(left())));
    ASSERT_EQ(piece[n], small<T>(2 * n + 1));
    world().barrier();
  }
  piece.free();
}

RANKS_TYPED_TEST(Accumulate, multiplies_by_the_scale_first) {
  using T = TypeParam;
  auto piece = Reachable<T>(1000);
  const auto values = smalls<T>(1000);
  T expected{};
  for (const T scale : {small<T>(0), small<T>(1), T(1), T(0), T(-1), small<T>(6)}) {
    accumulate(piece.on(right()), values, {.scale = scale});
    expected += scale * values[5];
    EXPECT_EQ(armature::get(piece.on(right()) + 5), expected);
  }
  world().barrier();
  T sum{};
  for (const T scale : {small<T>(0), small<T>(1), T(1), T(0), T(-1), small<T>(6)}) sum += scale;
  for (std::size_t i = 0; i < 1000; ++i) ASSERT_EQ(piece[i], sum * values[i]) << i;
  world().barrier();
  piece.free();
}

RANKS_TYPED_TEST(Accumulate, takes_a_value_a_pointer_or_a_range) {
  using T = TypeParam;
  auto piece = Reachable<T>(4);
  const auto to = piece.on(right());
  const T values[] = {T(1), T(2), T(3)};
  accumulate(to, T(5));
  accumulate(to + 1, values, 3);
  accumulate(to, values);
  accumulate(to + 3, T(2), {.scale = T(3)});
  std::vector<T> back(4);
  armature::get(back, to);
  EXPECT_EQ(back, (std::vector<T>{T(6), T(3), T(5), T(9)}));
  world().barrier();
  piece.free();
}

RANKS_TYPED_TEST(Accumulate, contended_by_all_ranks_loses_nothing) {
  using T = TypeParam;
  constexpr int rounds = 300;
  constexpr std::size_t n = 200;
  auto piece = Reachable<T>(n);
  const std::vector<T> ones(n, T(1));
  world().barrier();
  for (int round = 0; round < rounds; ++round) {
    accumulate(piece.on(0), ones);
    accumulate(piece.on(0) + 50, ones.data(), 100, {.scale = T(2)});
  }
  world().barrier();
  if (me() == 0) {
    for (std::size_t i = 0; i < n; ++i) {
      const bool twice = i >= 50 && i < 150;
      ASSERT_EQ(piece[i], T(static_cast<float>(rounds * ranks() * (twice ? 3 : 1)))) << i;
    }
  }
  world().barrier();
  piece.free();
}

RANKS_TYPED_TEST(Accumulate, large_contended_blocks_lose_nothing) {
  using T = TypeParam;
  constexpr std::size_t n = 60000;  // several lock chunks
  auto piece = Reachable<T>(n);
  const std::vector<T> ones(n, T(1));
  world().barrier();
  for (std::size_t round = 0; round < 5; ++round) {
    const std::size_t start = 777 * round * static_cast<std::size_t>(me() + 1) % 10000;
    accumulate(piece.on(0), ones.data(), start);
    accumulate(piece.on(0) + static_cast<std::ptrdiff_t>(start), ones.data(), n - start);
  }
  world().barrier();
  if (me() == 0) {
    EXPECT_TRUE(std::ranges::all_of(piece.local(),
                                    [](T x) { return x == T(static_cast<float>(5 * ranks())); }));
  }
  world().barrier();
  piece.free();
}

RANKS_TYPED_TEST(Accumulate, strided_adds_to_the_section_only) {
  using T = TypeParam;
  constexpr std::ptrdiff_t size = sizeof(T);
  auto piece = Reachable<T>(400);
  const auto values = smalls<T>(100);
  // 5 rows of 4 elements, upside down at the target, every other element row at the source.
  const std::size_t counts[] = {4 * sizeof(T), 5};
  const std::ptrdiff_t to_strides[] = {-20 * size};
  const std::ptrdiff_t from_strides[] = {8 * size};
  armature::accumulate_strided(
      piece.on(right()) + 100, values.data(),
      {.counts = counts, .to_strides = to_strides, .from_strides = from_strides}, {.scale = T(2)});
  world().barrier();
  std::vector<T> expected(400);
  for (std::size_t row = 0; row < 5; ++row)
    for (std::size_t i = 0; i < 4; ++i) expected[100 - 20 * row + i] = T(2) * values[8 * row + i];
  EXPECT_TRUE(std::ranges::equal(piece.local(), expected));
  world().barrier();
  piece.free();
}

RANKS_TYPED_TEST(Accumulate, strided_of_many_levels_under_contention_loses_nothing) {
  using T = TypeParam;
  constexpr std::ptrdiff_t size = sizeof(T);
  auto piece = Reachable<T>(256);
  const std::vector<T> ones(256, T(1));
  const std::size_t counts[] = {sizeof(T), 2, 2, 2, 2};  // every place with the lowest bit 0...
  const std::ptrdiff_t to_strides[] = {2 * size, 8 * size, 32 * size, 128 * size};
  const std::ptrdiff_t from_strides[] = {size, 2 * size, 4 * size, 8 * size};
  world().barrier();
  for (int round = 0; round < 100; ++round)
    armature::accumulate_strided(
        piece.on(0), ones.data(),
        {.counts = counts, .to_strides = to_strides, .from_strides = from_strides});
  world().barrier();
  if (me() == 0) {
    const auto all = T(static_cast<float>(100 * ranks()));
    for (std::size_t i = 0; i < 256; ++i) ASSERT_EQ(piece[i], (i & 0x55) == 0 ? all : T{}) << i;
  }
  world().barrier();
  piece.free();
}

RANKS_TYPED_TEST(Accumulate, vector_adds_to_the_pieces_only) {
  using T = TypeParam;
  auto piece = Reachable<T>(300);
  const auto values = smalls<T>(100);
  std::vector<void*> to;
  std::vector<const void*> from;
  for (std::size_t i = 0; i < 50; ++i) {
    to.push_back(piece.on(right()).address() + 297 - 6 * i);
    from.push_back(values.data() + i);
  }
  const Iov iov[] = {{.to = to, .from = from, .bytes = 2 * sizeof(T)}};
  armature::accumulate_vector<T>(right(), iov);
  armature::accumulate_vector<T>(right(), iov, {.scale = T(2)});
  world().barrier();
  std::vector<T> expected(300);
  for (std::size_t i = 0; i < 50; ++i)
    for (std::size_t k = 0; k < 2; ++k) expected[297 - 6 * i + k] += T(3) * values[i + k];
  EXPECT_TRUE(std::ranges::equal(piece.local(), expected));
  world().barrier();
  piece.free();
}

RANKS_TYPED_TEST(Accumulate, all_forms_together_under_contention_lose_nothing) {
  using T = TypeParam;
  auto piece = Reachable<T>(64);
  const std::vector<T> ones(64, T(1));
  std::vector<void*> to;
  std::vector<const void*> from;
  for (std::size_t i = 0; i < 64; ++i) {
    to.push_back(piece.on(0).address() + (i * 29) % 64);
    from.push_back(&ones[i]);
  }
  const Iov iov[] = {{.to = to, .from = from, .bytes = sizeof(T)}};
  const std::size_t counts[] = {8 * sizeof(T), 8};
  const std::ptrdiff_t strides[] = {8 * sizeof(T)};
  const Strided shape{.counts = counts, .to_strides = strides, .from_strides = strides};
  world().barrier();
  for (int round = 0; round < 200; ++round) {
    accumulate(piece.on(0), ones);
    armature::accumulate_vector<T>(0, iov);
    armature::accumulate_strided(piece.on(0), ones.data(), shape);
    armature::accumulate_async(piece.on(0), ones).wait();
    armature::accumulate_nbi(piece.on(0), ones);
  }
  armature::wait_all();
  world().barrier();
  if (me() == 0) {
    const auto all = T(static_cast<float>(1000 * ranks()));
    EXPECT_TRUE(std::ranges::all_of(piece.local(), [&](T x) { return x == all; }));
  }
  world().barrier();
  piece.free();
}

TEST(AccumulateRules, byte_counts_must_be_whole_elements) {
  auto piece = Reachable<double>(16);
  const double values[16] = {};
  const std::size_t counts[] = {12, 2};
  const std::ptrdiff_t strides[] = {16};
  expect_error(armature::Errc::bad_argument, {"accumulate_strided"}, [&] {
    armature::accumulate_strided(
        piece.on(right()), values,
        {.counts = counts, .to_strides = strides, .from_strides = strides});
  });
  void* to[] = {piece.on(right()).address()};
  const void* from[] = {values};
  const Iov iov[] = {{.to = to, .from = from, .bytes = 12}};
  expect_error(armature::Errc::bad_argument, {"accumulate_vector"},
               [&] { armature::accumulate_vector<double>(right(), iov); });
  world().barrier();
  piece.free();
}
