// Non-blocking transfers that are longer than packets, of every shape, many of them under way at a
// time: between nodes they are sent while their rank goes on.
#include <algorithm>
#include <array>
#include <numeric>
#include <vector>

#include "conformance.hpp"

using namespace conformance;
using armature::global_ptr;
using armature::Handle;
using armature::Iov;
using armature::Piece;
using armature::Strided;

namespace long_async {
namespace {

using Number = std::int64_t;
constexpr std::size_t row = 1000, rows = 300, n = rows * row;  // 2.4 MB

/// Each rank sends these to its right neighbour.
Number number_of(int rank, std::size_t i) { return rank * Number{1'000'000'000} + Number(i); }

class Matrix {
 public:
  Matrix() : place(world().allocate<Number>(n)), mine(n) {
    for (std::size_t i = 0; i < n; ++i) mine[i] = number_of(me(), i);
    world().barrier();
  }
  Matrix(const Matrix&) = delete;
  Matrix& operator=(const Matrix&) = delete;
  ~Matrix() {
    world().barrier();
    world().free(place);
  }

  [[nodiscard]] global_ptr<Number> there() const { return place.on(right()); }

  /// Expects that every number for which `is_sent` is true is the left neighbour's, and the rest 0.
  template <class IsSent>
  void expect_got(IsSent is_sent, Number times = 1) {
    armature::fence_all();
    world().barrier();
    const auto got = place.local();
    std::size_t wrong = 0;
    for (std::size_t i = 0; i < n; ++i)
      wrong += got[i] != (is_sent(i) ? times * number_of(left(), i) : 0) ? 1 : 0;
    EXPECT_EQ(wrong, 0U);
    world().barrier();
    std::ranges::fill(got, 0);
    world().barrier();
  }

  /// A section of the matrix.
  struct Shape {
    std::size_t columns;    // in a row, from the first on
    std::size_t row_step;   // every so many rows
    std::size_t per_group;  // rows of the innermost level
  };
  static constexpr std::array shapes = {
      Shape{row, 1, rows},  Shape{row - 1, 1, rows}, Shape{16, 1, rows},
      Shape{1, 1, rows},    Shape{row, 2, 150},      Shape{700, 2, 150},
      Shape{row / 2, 1, 3}, Shape{3, 1, 2},          Shape{row / 4, 1, 100}};

  template <class Begin>
  void for_shapes(Begin begin, Number times = 1) {
    for (const Shape& shape : shapes) {
      const std::size_t all = rows / shape.row_step;
      const std::array<std::size_t, 3> counts = {shape.columns * sizeof(Number), shape.per_group,
                                                 all / shape.per_group};
      const auto step = static_cast<std::ptrdiff_t>(shape.row_step * row * sizeof(Number));
      const std::array<std::ptrdiff_t, 2> strides = {
          step, step * static_cast<std::ptrdiff_t>(shape.per_group)};
      begin(Strided{.counts = counts, .to_strides = strides, .from_strides = strides});
      expect_got(
          [&](std::size_t i) { return i % row < shape.columns && i / row % shape.row_step == 0; },
          times);
    }
  }

  /// Pieces of so many numbers, each behind a gap as long.
  struct Lists {
    std::vector<void*> to;
    std::vector<const void*> from;
    std::array<Iov, 1> lists;
    Lists(Number* target, const Number* source, std::size_t numbers) {
      for (std::size_t at = 0; at + numbers <= n; at += 2 * numbers) {
        to.push_back(target + at);
        from.push_back(source + at);
      }
      lists[0] = {to, from, numbers * sizeof(Number)};
    }
    [[nodiscard]] bool has(std::size_t i) const {
      const std::size_t numbers = lists[0].bytes / sizeof(Number);
      return i / numbers % 2 == 0 && i / numbers / 2 < to.size();
    }
  };
  static constexpr std::array<std::size_t, 4> piece_lengths = {1, 50, 1500, 100'000};

  Piece<Number> place;
  std::vector<Number> mine;
};

TEST(LongAsync, puts) {
  Matrix matrix;
  armature::put_async(matrix.there(), matrix.mine).wait();
  matrix.expect_got([](std::size_t) { return true; });
  armature::put_nbi(matrix.there(), matrix.mine.data(), n);
  armature::wait_all();
  matrix.expect_got([](std::size_t) { return true; });
}

TEST(LongAsync, accumulates) {
  Matrix matrix;
  armature::accumulate_async(matrix.there(), matrix.mine, {.scale = 3}).wait();
  matrix.expect_got([](std::size_t) { return true; }, 3);
  armature::accumulate_nbi(matrix.there(), matrix.mine.data(), n);
  armature::accumulate_nbi(matrix.there(), matrix.mine);
  armature::wait_all(right());
  matrix.expect_got([](std::size_t) { return true; }, 2);
}

TEST(LongAsync, sections) {
  Matrix matrix;
  matrix.for_shapes([&](const Strided& shape) {
    armature::put_strided_async(matrix.there(), matrix.mine.data(), shape).wait();
  });
  matrix.for_shapes([&](const Strided& shape) {
    armature::put_strided_nbi(matrix.there(), matrix.mine.data(), shape);
    armature::wait_all();
  });
}

TEST(LongAsync, sections_that_are_added) {
  Matrix matrix;
  matrix.for_shapes(
      [&](const Strided& shape) {
        armature::accumulate_strided_async(matrix.there(), matrix.mine.data(), shape, {.scale = 2})
            .wait();
      },
      2);
  matrix.for_shapes([&](const Strided& shape) {
    armature::accumulate_strided_nbi(matrix.there(), matrix.mine.data(), shape);
    armature::wait_all();
  });
}

TEST(LongAsync, lists) {
  Matrix matrix;
  for (const std::size_t numbers : Matrix::piece_lengths) {
    // The lists need not outlive the call.
    Handle handle;
    const Matrix::Lists pieces(matrix.there().address(), matrix.mine.data(), numbers);
    {
      const Matrix::Lists same = pieces;
      const std::array<Iov, 1> lists = {Iov{same.to, same.from, numbers * sizeof(Number)}};
      handle = armature::put_vector_async(right(), lists);
    }
    handle.wait();
    matrix.expect_got([&](std::size_t i) { return pieces.has(i); });
    armature::accumulate_vector_async<Number>(right(), pieces.lists, {.scale = 5}).wait();
    matrix.expect_got([&](std::size_t i) { return pieces.has(i); }, 5);
    armature::put_vector_nbi(right(), pieces.lists);
    armature::wait_all();
    armature::accumulate_vector_nbi<Number>(right(), pieces.lists);
    armature::wait_all();
    matrix.expect_got([&](std::size_t i) { return pieces.has(i); }, 2);
  }
}

TEST(LongAsync, lists_of_no_pieces) {
  Matrix matrix;
  const std::array<Iov, 1> none = {Iov{{}, {}, 16384}};
  armature::put_vector(right(), none);
  armature::put_vector_async(right(), none).wait();
  armature::accumulate_vector_async<Number>(right(), none).wait();
  armature::get_vector_async(right(), none).wait();
  matrix.expect_got([](std::size_t) { return false; });
}

TEST(LongAsync, gets_of_lists) {
  Matrix matrix;
  armature::put(matrix.place.on(me()), matrix.mine);
  world().barrier();
  for (const std::size_t numbers : Matrix::piece_lengths) {
    std::vector<Number> into(n);
    const Matrix::Lists pieces(into.data(), matrix.there().address(), numbers);
    armature::get_vector_async(right(), pieces.lists).wait();
    for (std::size_t i = 0; i < n; ++i)
      ASSERT_EQ(into[i], pieces.has(i) ? number_of(right(), i) : 0) << numbers << " at " << i;
    std::ranges::fill(into, 0);
    armature::get_vector_nbi(right(), pieces.lists);
    armature::wait_all();
    for (std::size_t i = 0; i < n; ++i)
      ASSERT_EQ(into[i], pieces.has(i) ? number_of(right(), i) : 0) << numbers << " at " << i;
  }
}

TEST(LongAsync, several_lists_behind_one_handle) {
  Matrix matrix;
  const Matrix::Lists lines(matrix.there().address(), matrix.mine.data(), 50);
  const std::array<Iov, 2> first_and_second = {
      Iov{std::span(lines.to).first(100), std::span(lines.from).first(100), 400},
      Iov{std::span(lines.to).subspan(100), std::span(lines.from).subspan(100), 400}};
  armature::put_vector_async(right(), first_and_second).wait();
  matrix.expect_got([&](std::size_t i) { return lines.has(i); });
  armature::accumulate_vector_async<Number>(right(), first_and_second).wait();
  matrix.expect_got([&](std::size_t i) { return lines.has(i); });
}

TEST(LongAsync, many_are_under_way_beside_blocking_ones) {
  Matrix matrix;
  std::vector<Handle> handles;
  constexpr std::size_t part = n / 100;
  for (std::size_t i = 0; i < 100; ++i)
    handles.push_back(armature::put_async(matrix.there() + static_cast<std::ptrdiff_t>(i * part),
                                          matrix.mine.data() + i * part, part));
  // These puts go to places of their own, while the others are under way.
  auto beside = world().allocate<Number>(2);
  armature::put(beside.on(right()), Number{me()});
  EXPECT_EQ(armature::fetch_add(beside.on(right()) + 1, 5), 0);
  EXPECT_EQ(armature::get(beside.on(right())), me());
  EXPECT_LT(armature::wait_any(handles), handles.size());
  armature::wait_all(handles);
  std::ranges::fill(matrix.mine, -1);
  matrix.expect_got([](std::size_t) { return true; });
  world().free(beside);
}

TEST(LongAsync, a_fence_has_what_was_begun_before_it) {
  Matrix matrix;
  for (int round = 0; round < 10; ++round) {
    Handle handle = armature::put_async(matrix.there(), matrix.mine);
    armature::fence(right());
    EXPECT_EQ(armature::get(matrix.there() + static_cast<std::ptrdiff_t>(n - 1)),
              matrix.mine[n - 1]);
    handle.wait();
    matrix.expect_got([](std::size_t) { return true; });
  }
}

}  // namespace
}  // namespace long_async
