#include <algorithm>
#include <cstdint>
#include <cstring>
#include <numeric>

#include "reachable.hpp"

using namespace conformance;
using armature::Strided;

namespace {

/// A shape and where its first group lies, inside buffers of `bytes` on both sides.
struct Section {
  const char* what;
  std::vector<std::size_t> counts;
  std::vector<std::ptrdiff_t> to_strides;
  std::vector<std::ptrdiff_t> from_strides;
  std::ptrdiff_t to = 0;
  std::ptrdiff_t from = 0;

  [[nodiscard]] Strided shape() const {
    return {.counts = counts, .to_strides = to_strides, .from_strides = from_strides};
  }
};

constexpr std::size_t buffer_bytes = 8192;

const std::vector<Section>& sections() {
  static const std::vector<Section> all = {
      {"no levels", {100}, {}, {}, 5, 11},
      {"no bytes", {0}, {}, {}},
      {"no groups", {8, 0}, {16}, {16}},
      {"no groups inside", {8, 0, 4}, {16, 64}, {16, 64}},
      {"one byte of each line", {1, 100}, {64}, {1}},
      {"a patch into a dense one", {64, 16}, {64}, {256}, 0, 32},
      {"a dense one into a patch", {24, 20}, {100}, {24}, 7, 3},
      {"doubles of a column", {8, 64}, {8}, {128}},
      {"odd groups, odd strides", {13, 31}, {17}, {29}, 1, 2},
      {"wide groups", {1500, 5}, {1600}, {1501}},
      {"rows upside down at the target", {16, 10}, {-32}, {16}, 9 * 32, 0},
      {"rows upside down at the source", {16, 10}, {16}, {-40}, 0, 9 * 40},
      {"rows upside down at both", {8, 10}, {-24}, {-8}, 9 * 24, 9 * 8},
      {"one row read again and again", {16, 10}, {32}, {0}},
      {"overlapping groups of the source", {16, 10}, {32}, {4}},
      {"a box", {8, 5, 4}, {16, 200}, {8, 40}, 3, 0},
      {"a box with its axes exchanged", {8, 5, 4}, {200, 16}, {8, 40}},
      {"a box mirrored", {4, 5, 3}, {-8, 100}, {20, -120}, 32, 240},
      {"three levels", {8, 3, 3, 3}, {16, 64, 256}, {8, 24, 72}},
      {"four levels", {4, 2, 3, 2, 3}, {8, 16, 64, 256}, {4, 8, 24, 48}},
      {"five levels", {4, 2, 2, 2, 2, 2}, {8, 16, 64, 256, 1024}, {4, 8, 16, 32, 64}},
      {"six levels", {2, 2, 2, 2, 2, 2, 2}, {4, 8, 16, 32, 64, 128}, {2, 4, 8, 16, 32, 64}},
      {"seven levels",
       {1, 2, 2, 2, 2, 2, 2, 2},
       {-1, 2, 4, 8, 16, 32, 64},
       {64, 32, 16, 8, 4, 2, 1},
       1,
       0},
      {"eight levels",
       {3, 2, 2, 2, 2, 2, 2, 2, 2},
       {4, 8, 16, 32, 64, 128, 256, 512},
       {3, 6, 12, 24, 48, 96, -192, 384},
       0,
       192},
      {"levels of one group", {32, 1, 7, 1}, {999999, 64, -999999}, {5, 32, 7}},
  };
  return all;
}

/// Does what a transfer must do, one group at a time.
void copy_by_hand(std::uint8_t* to, const std::uint8_t* from, const Section& s, std::size_t level) {
  if (level == 0) {
    if (s.counts[0] != 0) std::memcpy(to, from, s.counts[0]);
    return;
  }
  for (std::size_t i = 0; i < s.counts[level]; ++i) {
    copy_by_hand(to + static_cast<std::ptrdiff_t>(i) * s.to_strides[level - 1],
                 from + static_cast<std::ptrdiff_t>(i) * s.from_strides[level - 1], s, level - 1);
  }
}

std::vector<std::uint8_t> expected_after(const Section& s,
                                         const std::vector<std::uint8_t>& source) {
  std::vector<std::uint8_t> expected(buffer_bytes, 0xcd);
  copy_by_hand(expected.data() + s.to, source.data() + s.from, s, s.counts.size() - 1);
  return expected;
}

/// Everybody moves every section to its right neighbour with `transfer`, and looks at what came.
template <class Transfer>
void expect_put_sections(Transfer transfer) {
  auto piece = Reachable<std::uint8_t>(buffer_bytes);
  for (const auto& section : sections()) {
    SCOPED_TRACE(section.what);
    std::ranges::fill(piece.local(), std::uint8_t{0xcd});
    world().barrier();
    const auto source = patterned(buffer_bytes, static_cast<std::size_t>(me()));
    transfer(piece.on(right()) + section.to, source.data() + section.from, section.shape());
    world().barrier();
    const auto sent = patterned(buffer_bytes, static_cast<std::size_t>(left()));
    EXPECT_TRUE(std::ranges::equal(piece.local(), expected_after(section, sent)));
    world().barrier();
  }
  piece.free();
}

template <class Transfer>
void expect_get_sections(Transfer transfer) {
  auto piece = Reachable<std::uint8_t>(buffer_bytes);
  std::ranges::copy(patterned(buffer_bytes, static_cast<std::size_t>(me())), piece.local().begin());
  world().barrier();
  const auto source = patterned(buffer_bytes, static_cast<std::size_t>(right()));
  for (const auto& section : sections()) {
    SCOPED_TRACE(section.what);
    std::vector<std::uint8_t> into(buffer_bytes, 0xcd);
    transfer(into.data() + section.to, piece.on(right()) + section.from, section.shape());
    EXPECT_EQ(into, expected_after(section, source));
  }
  world().barrier();
  piece.free();
}

}  // namespace

TEST(Strided, put_moves_every_section_and_nothing_beside_it) {
  expect_put_sections(
      [](auto to, auto* from, const Strided& shape) { armature::put_strided(to, from, shape); });
}

TEST(Strided, get_moves_every_section_and_nothing_beside_it) {
  expect_get_sections(
      [](auto* to, auto from, const Strided& shape) { armature::get_strided(to, from, shape); });
}

TEST(Strided, non_blocking_put_moves_every_section) {
  expect_put_sections([](auto to, auto* from, const Strided& shape) {
    armature::put_strided_async(to, from, shape).wait();
  });
}

TEST(Strided, non_blocking_get_moves_every_section) {
  expect_get_sections([](auto* to, auto from, const Strided& shape) {
    armature::get_strided_async(to, from, shape).wait();
  });
}

TEST(Strided, implicit_put_moves_every_section) {
  expect_put_sections([](auto to, auto* from, const Strided& shape) {
    armature::put_strided_nbi(to, from, shape);
    armature::wait_all();
  });
}

TEST(Strided, implicit_get_moves_every_section) {
  expect_get_sections([](auto* to, auto from, const Strided& shape) {
    armature::get_strided_nbi(to, from, shape);
    armature::wait_all(right());
  });
}

TEST(Strided, patches_of_a_matrix_move) {
  constexpr std::size_t width = 100;
  auto matrix = Reachable<double>(width * width);
  std::vector<double> patch(10 * 20, 1.5 + me());
  const auto corner = matrix.on(right()) + 30 * width + 40;
  armature::put_patch(
      corner, patch.data(),
      {.row_bytes = 20 * 8, .rows = 10, .to_stride = width * 8, .from_stride = 20 * 8});
  std::vector<double> back(10 * 20);
  armature::get_patch(
      back.data(), corner,
      {.row_bytes = 20 * 8, .rows = 10, .to_stride = 20 * 8, .from_stride = width * 8});
  EXPECT_EQ(back, patch);
  world().barrier();
  EXPECT_EQ(matrix[30 * width + 40], 1.5 + left());
  EXPECT_EQ(matrix[39 * width + 59], 1.5 + left());
  EXPECT_EQ(matrix[30 * width + 39], 0);
  EXPECT_EQ(matrix[30 * width + 60], 0);
  EXPECT_EQ(matrix[40 * width + 40], 0);
  world().barrier();
  matrix.free();
}

TEST(Strided, patches_are_described_in_elements) {
  constexpr std::ptrdiff_t width = 50;
  auto matrix = Reachable<double>(width * width);
  std::vector<double> patch(4 * 6);
  std::iota(patch.begin(), patch.end(), 100.0 * me());
  const auto corner = matrix.on(right()) + 10 * width + 20;
  armature::put_patch(corner, patch.data(),
                      {.columns = 6, .rows = 4, .to_stride = width, .from_stride = 6});
  std::vector<double> back(4 * 6), later(4 * 6);
  armature::get_patch(back.data(), corner,
                      {.columns = 6, .rows = 4, .to_stride = 6, .from_stride = width});
  armature::get_patch_async(later.data(), corner,
                            {.columns = 6, .rows = 4, .to_stride = 6, .from_stride = width})
      .wait();
  EXPECT_EQ(back, patch);
  EXPECT_EQ(later, patch);
  world().barrier();
  EXPECT_EQ(matrix[10 * width + 20], 100.0 * left());
  EXPECT_EQ(matrix[13 * width + 25], 100.0 * left() + 23);
  EXPECT_EQ(matrix[13 * width + 26], 0);
  world().barrier();
  // Four bare numbers are of bytes, whatever the pointers are of.
  armature::put_patch(corner, patch.data(), {8, 1, 8, 8});
  EXPECT_EQ(armature::get(corner), patch[0]);
  expect_error(armature::Errc::bad_argument, {"put_patch"}, [&] {
    armature::put_patch(corner, patch.data(),
                        {.columns = SIZE_MAX / 4, .rows = 1, .to_stride = 1, .from_stride = 1});
  });
  world().barrier();
  matrix.free();
}

/// Rows between nodes are packed into pieces, or lent one by one, by their length: about as long as
/// a piece is where one way ends and the other begins.
TEST(Strided, rows_about_as_long_as_a_piece_move) {
  constexpr std::size_t rows = 3, apart = std::size_t{160} * 1024;
  auto matrix = Reachable<std::uint8_t>(rows * apart);
  for (const std::size_t row_bytes :
       {32767, 32768, 40000, 65535, 65536, 65537, 80000, 80001, 130001, 131072, 131080}) {
    SCOPED_TRACE(row_bytes);
    std::ranges::fill(matrix.local(), std::uint8_t{0xcd});
    world().barrier();
    const auto sent = patterned(rows * row_bytes, static_cast<std::size_t>(me()));
    armature::put_patch(matrix.on(right()), sent.data(),
                        {.row_bytes = row_bytes,
                         .rows = rows,
                         .to_stride = static_cast<std::ptrdiff_t>(apart),
                         .from_stride = static_cast<std::ptrdiff_t>(row_bytes)});
    std::vector<std::uint8_t> back(rows * row_bytes);
    armature::get_patch(back.data(), matrix.on(right()),
                        {.row_bytes = row_bytes,
                         .rows = rows,
                         .to_stride = static_cast<std::ptrdiff_t>(row_bytes),
                         .from_stride = static_cast<std::ptrdiff_t>(apart)});
    EXPECT_EQ(back, sent);
    world().barrier();
    const auto came = patterned(rows * row_bytes, static_cast<std::size_t>(left()));
    for (std::size_t row = 0; row < rows; ++row) {
      const std::uint8_t* const at = matrix.local().data() + row * apart;
      EXPECT_EQ(std::memcmp(at, came.data() + row * row_bytes, row_bytes), 0);
      EXPECT_EQ(std::count(at + row_bytes, at + apart, 0xcd),
                static_cast<std::ptrdiff_t>(apart - row_bytes));
    }
    world().barrier();
  }
  matrix.free();
}

TEST(Strided, a_large_transpose_of_blocks_is_exact) {
  constexpr std::size_t n = 256;
  auto matrix = Reachable<double>(n * n);
  std::vector<double> source(n * n);
  for (std::size_t i = 0; i < n * n; ++i) source[i] = static_cast<double>(i);
  const std::size_t counts[] = {8, n, n};
  const std::ptrdiff_t to_strides[] = {8 * n, 8};
  const std::ptrdiff_t from_strides[] = {8, 8 * n};
  armature::put_strided(matrix.on(right()), source.data(),
                        {.counts = counts, .to_strides = to_strides, .from_strides = from_strides});
  world().barrier();
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < n; ++j) ASSERT_EQ(matrix[i * n + j], source[j * n + i]);
  world().barrier();
  matrix.free();
}

TEST(Strided, a_section_may_end_with_the_last_byte_of_the_piece) {
  auto piece = Reachable<std::uint8_t>(1024);
  const auto source = patterned(512, 1);
  const std::size_t counts[] = {32, 16};
  const std::ptrdiff_t to_strides[] = {64};
  const std::ptrdiff_t from_strides[] = {32};
  const Strided shape{.counts = counts, .to_strides = to_strides, .from_strides = from_strides};
  EXPECT_FALSE(
      caught([&] { armature::put_strided(piece.on(right()) + 32, source.data(), shape); }));
  world().barrier();
  EXPECT_EQ(piece[1023], source[511]);
  piece.free();
}
