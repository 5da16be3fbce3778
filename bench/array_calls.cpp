#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include <armature/array.hpp>

#include "bench/rows.hpp"

// Calls that Global Arrays has, too: peers/global_arrays.c measures them in the same way. Rank 0
// acts on a matrix of which rank 1 has the second half; arrays are made and transposed by both.

namespace armature::bench {

namespace {

using Matrix = distributed_array<double, 2>;

constexpr std::ptrdiff_t patch_rows = 1024;

Matrix by_rows(World& world, std::ptrdiff_t n) {
  return {world, {n, n}, {.distribution = {Distribution::block(), Distribution::collapsed()}}};
}

void construct_rows(Stage& stage, const std::string& tail) {
  for (std::ptrdiff_t n = 64; n <= 1024; n *= 4)
    stage.together(
        {"construct" + tail, static_cast<std::size_t>(n * n) * sizeof(double)},
        [&] {
          const Matrix matrix(stage.world(), {n, n});
        },
        nullptr);
}

/// A row of what rank 0 does, while the other waits in a barrier.
template <class Op>
void by_rank_0(Stage& stage, const Subject& subject, Op op) {
  stage.together(
      subject,
      [&] {
        if (stage.acts()) op();
      },
      nullptr);
}

/// Patches of the other rank's block, and one of which each rank has half.
void patch_rows_of(Stage& stage, const std::string& tail) {
  Matrix matrix(stage.world(), {2 * patch_rows, patch_rows}, {.grid = {2, 1}});
  std::vector<double> memory(512 * 512, 1.0);
  for (std::ptrdiff_t n = 8; n <= 512; n *= 8)
    for (const bool is_of_both : {false, true}) {
      const auto elements = static_cast<std::size_t>(n * n);
      const std::span<double> buffer(memory.data(), elements);
      const std::ptrdiff_t first = patch_rows - (is_of_both ? n / 2 : 0);
      const auto patch = matrix[{Range(first, first + n), Range(0, n)}];
      const auto subject = [&](const char* verb) {
        return Subject{std::string("patch.") + verb + (is_of_both ? ".of2" : "") + tail,
                       elements * sizeof(double)};
      };
      by_rank_0(stage, subject("put"), [&] { patch.put(buffer); });
      by_rank_0(stage, subject("get"), [&] { patch.get(buffer); });
      by_rank_0(stage, subject("acc"), [&] { patch.accumulate(buffer, 0.5); });
    }
}

void increment_row(Stage& stage, const std::string& tail) {
  distributed_array<long, 1> counters(stage.world(), {16});
  by_rank_0(stage, {"read_increment" + tail, sizeof(long)},
            [&] { keep(counters.read_increment({8})); });
}

void transpose_rows(Stage& stage, const std::string& tail) {
  for (std::ptrdiff_t n = 128; n <= 4096; n *= 2) {
    const Matrix from = by_rows(stage.world(), n);
    Matrix to = by_rows(stage.world(), n);
    stage.together(
        {"transpose.alike" + tail, static_cast<std::size_t>(n * n) * sizeof(double)},
        [&] { transpose(to, from); }, nullptr);
  }
}

}  // namespace

void array_call_rows(Stage& stage, const std::string& tail) {
  const auto has = [&](const char* op) { return stage.has(op + tail); };
  if (has("construct")) construct_rows(stage, tail);
  if (has("patch.put") || has("patch.get") || has("patch.acc")) patch_rows_of(stage, tail);
  if (has("read_increment")) increment_row(stage, tail);
  if (has("transpose.alike")) transpose_rows(stage, tail);
}

}  // namespace armature::bench
