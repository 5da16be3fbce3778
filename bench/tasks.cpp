#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include <armature/algorithm.hpp>
#include <armature/container.hpp>
#include <armature/task.hpp>

#include "bench/rows.hpp"
#include "bench/sample.hpp"

// Loop nests whose steps are tasks, on all ranks and on one of them: the same program, which the
// team that it is given divides. And a sort.

namespace armature::bench {

namespace {

/// Cholesky's factors of a symmetric matrix, by tiles.
class Cholesky {
 public:
  static constexpr std::size_t n = 64, tiles = 20;

  /// Returns the last element of the factor, where it lies; 0 elsewhere.
  static double run(const Team& team) {
    task_graph graph(team);
    task_data<Tile> a(graph, tiles, tiles, [&](std::size_t i, std::size_t) {
      return static_cast<int>(i) % team.size();
    });
    for (std::size_t i = 0; i < tiles; ++i)
      for (std::size_t j = 0; j <= i; ++j)
        graph.spawn([=](Tile& tile) { fill(tile, i * n, j * n); }, writes(a(i, j)));
    for (std::size_t k = 0; k < tiles; ++k) {
      graph.spawn(factor, writes(a(k, k)));
      for (std::size_t i = k + 1; i < tiles; ++i)
        graph.spawn(solve, reads(a(k, k)), writes(a(i, k)));
      for (std::size_t i = k + 1; i < tiles; ++i) {
        graph.spawn(subtract_square, reads(a(i, k)), writes(a(i, i)));
        for (std::size_t j = k + 1; j < i; ++j)
          graph.spawn(subtract, reads(a(i, k)), reads(a(j, k)), writes(a(i, j)));
      }
    }
    graph.wait();
    const std::size_t last = tiles * tiles - 1;
    return a.owner(last) == team.rank() ? a.read(last).back() : 0;
  }

 private:
  using Tile = std::vector<double>;

  static void fill(Tile& a, std::size_t row, std::size_t column) {
    a.resize(n * n);
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t j = 0; j < n; ++j) {
        const std::size_t r = row + i, c = column + j;
        a[i * n + j] = r == c ? 1e4 : std::cos(static_cast<double>(r + c));
      }
  }
  static void factor(Tile& a) {
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t j = 0; j <= i; ++j) {
        const double rest = a[i * n + j] - product(&a[i * n], &a[j * n], j);
        a[i * n + j] = i == j ? std::sqrt(rest) : rest / a[j * n + j];
      }
  }
  static void solve(const Tile& l, Tile& a) {
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t j = 0; j < n; ++j)
        a[i * n + j] = (a[i * n + j] - product(&a[i * n], &l[j * n], j)) / l[j * n + j];
  }
  static void subtract(const Tile& a, const Tile& b, Tile& c) {
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t j = 0; j < n; ++j) c[i * n + j] -= product(&a[i * n], &b[j * n], n);
  }
  static void subtract_square(const Tile& a, Tile& c) { subtract(a, a, c); }
  static double product(const double* a, const double* b, std::size_t count) {
    double sum = 0;
    for (std::size_t k = 0; k < count; ++k) sum += a[k] * b[k];
    return sum;
  }
};

/// The best local alignment of two sequences of letters, by tiles (Smith and Waterman).
class SmithWaterman {
 public:
  static constexpr std::size_t n = 128, tiles = 24;

  /// Returns the best score, where it is found; 0 elsewhere.
  static int run(const Team& team) {
    task_graph graph(team);
    task_data<Tile> t(graph, tiles + 1, tiles + 1, [&](std::size_t i, std::size_t) {
      return static_cast<int>(i) % team.size();
    });
    for (std::size_t i = 1; i <= tiles; ++i)
      for (std::size_t j = 1; j <= tiles; ++j)
        graph.spawn([i, j](const Tile& corner, const Tile& above, const Tile& left,
                           Tile& tile) { compute(i * n, j * n, corner, above, left, tile); },
                    reads(t(i - 1, j - 1)), reads(t(i - 1, j)), reads(t(i, j - 1)),
                    writes(t(i, j)));
    graph.wait();
    const std::size_t last = (tiles + 1) * (tiles + 1) - 1;
    return t.owner(last) == team.rank() ? t.read(last).best : 0;
  }

 private:
  struct Tile {
    std::vector<int> bottom = std::vector<int>(n), right = bottom;
    int best = 0;
    void serialize(auto& archive) { archive(bottom, right, best); }
  };
  static int letter(std::size_t i, std::size_t sequence) {
    return static_cast<int>((i * 2654435761U + sequence * 40503U) >> 7 & 3U);
  }
  static void compute(std::size_t row, std::size_t column, const Tile& corner, const Tile& above,
                      const Tile& left, Tile& tile) {
    tile.bottom = above.bottom;
    tile.best = std::max({corner.best, above.best, left.best});
    int letters[n];
    for (std::size_t j = 0; j < n; ++j) letters[j] = letter(column + j, 2);
    for (std::size_t i = 0; i < n; ++i) {
      const int mine = letter(row + i, 1);
      int diagonal = i == 0 ? corner.bottom.back() : left.right[i - 1], before = left.right[i];
      for (std::size_t j = 0; j < n; ++j) {
        before =
            std::max({0, diagonal + (mine == letters[j] ? 2 : -1), tile.bottom[j] - 1, before - 1});
        diagonal = std::exchange(tile.bottom[j], before);
        tile.best = std::max(tile.best, before);
      }
      tile.right[i] = before;
    }
  }
};

/// Equal tasks that are all one member's, and that others may steal.
class Stealing {
 public:
  static constexpr std::size_t count = 400;

  /// Returns the sum, where it lies; 0 elsewhere.
  static double run(const Team& team) {
    task_graph graph(team);
    task_data<double> sums(graph, count, [](std::size_t) { return 0; });
    for (std::size_t i = 0; i < count; ++i)
      graph.spawn_stealable(
          [i](double& sum) {
            for (int k = 1; k < 40'000; ++k)
              sum += 1.0 / static_cast<double>(k + static_cast<int>(i));
          },
          writes(sums(i)));
    graph.wait();
    double all = 0;
    for (std::size_t i = 0; team.rank() == 0 && i < count; ++i) all += sums.read(i);
    return all;
  }
};

/// A sort of a vector; limit: std::sort of the same by rank 0, while the others wait.
void sort_row(Stage& stage, const std::string& tail) {
  if (!stage.has("sort" + tail)) return;
  World& world = stage.world();
  const bool is_quick = stage.effort().batches_min < Effort().batches_min;
  const std::size_t count = is_quick ? 100'000 : 10'000'000;
  distributed_vector<double> values(world, count);
  const auto value = [](std::size_t i) {
    return static_cast<double>((i * 0x9E3779B97F4A7C15U) >> 11) + static_cast<double>(i % 7);
  };
  std::vector<double> of_one(world.rank() == 0 ? count : 0), ns, limit_ns;
  for (int turn = 0; turn < (is_quick ? 2 : 5); ++turn) {
    generate(values, value);
    for (std::size_t i = 0; i < of_one.size(); ++i) of_one[i] = value(i);
    world.barrier();
    double start = now_ns();
    sort(values);
    world.barrier();
    ns.push_back(now_ns() - start);
    start = now_ns();
    std::sort(of_one.begin(), of_one.end());
    limit_ns.push_back(now_ns() - start);
    world.barrier();
  }
  if (!is_sorted(values) ||
      (stage.acts() && (values.read(count / 3, count / 3 + 1)[0] != of_one[count / 3]))) {
    std::fprintf(stderr, "bench tasks: sort differs from std::sort\n");
    std::exit(1);
  }
  values.fence();
  if (stage.acts())
    stage.report({"sort" + tail, count * sizeof(double)}, pair_in_the_middle(ns, limit_ns));
}

/// A row of a loop nest on all ranks; limit: rank 0 alone, while the others wait.
template <class Nest>
void nest_row(Stage& stage, const std::string& op) {
  if (!stage.has(op)) return;
  World& world = stage.world();
  const Team alone = world.split(world.rank(), 0);
  const auto of_all = allreduce(world, Nest::run(world));
  if (const auto of_one = Nest::run(alone); of_one != of_all || !(of_one > 0)) {
    std::fprintf(stderr, "bench tasks: %s differs from the same on one rank\n", op.c_str());
    std::exit(1);
  }
  stage.together(
      {op, 0}, [&] { (void)Nest::run(world); },
      [&] {
        world.barrier();
        if (world.rank() == 0) (void)Nest::run(alone);
        world.barrier();
      });
}

}  // namespace

void task_rows(World& world, const Settings& settings) {
  Stage stage(world, settings);
  const std::string tail = ".p" + std::to_string(world.size());
  empty_task_row(stage, tail);
  task_pattern_rows(stage, tail);
  nest_row<Cholesky>(stage, "cholesky" + tail);
  nest_row<SmithWaterman>(stage, "smith_waterman" + tail);
  nest_row<Stealing>(stage, "stealing" + tail);
  sort_row(stage, tail);
}

}  // namespace armature::bench
