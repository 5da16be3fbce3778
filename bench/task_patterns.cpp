#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include <armature/task.hpp>

#include "bench/rows.hpp"
#include "bench/sample.hpp"

// Task graphs in the patterns of Task Bench (Slaughter and others, SC 2020): `steps` rows of
// `width` tasks; a task reads what some tasks of the row before have written. Its measure is
// METG(50 %): the smallest time per task, of which half is still the task's own work.

namespace armature::bench {

namespace {

constexpr std::size_t steps = 64;
constexpr std::size_t columns_each = 4;  // of each rank

/// The columns of the row before that a task reads, at most three.
struct Columns {
  std::array<std::size_t, 3> at{};
  std::size_t count = 0;
  void add(std::size_t column) {
    if (std::find(at.begin(), at.begin() + count, column) == at.begin() + count)
      at[count++] = column;
  }
};

std::uint64_t mixed(std::uint64_t x) {
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9U;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebU;
  return x ^ (x >> 31);
}

Columns trivial(std::size_t, std::size_t, std::size_t) { return {}; }
Columns stencil(std::size_t, std::size_t i, std::size_t width) {
  Columns columns;
  if (i > 0) columns.add(i - 1);
  columns.add(i);
  if (i + 1 < width) columns.add(i + 1);
  return columns;
}
Columns fft(std::size_t step, std::size_t i, std::size_t width) {
  Columns columns;
  const std::size_t levels = std::max<std::size_t>(1, std::bit_width(width) - 1);
  const std::size_t distance = std::size_t{1} << step % levels;
  columns.add(i);
  if (i >= distance) columns.add(i - distance);
  if (i + distance < width) columns.add(i + distance);
  return columns;
}
Columns tree(std::size_t, std::size_t i, std::size_t) {
  Columns columns;
  columns.add(i / 2);
  return columns;
}
Columns random(std::size_t step, std::size_t i, std::size_t width) {
  Columns columns;
  for (std::uint64_t k = 0; k < 3; ++k) columns.add(mixed(step * 4096 + i * 4 + k) % width);
  return columns;
}
Columns spread(std::size_t step, std::size_t i, std::size_t width) {
  Columns columns;
  for (std::size_t k = 0; k < 3; ++k) columns.add((i + k * width / 3 + step) % width);
  return columns;
}

struct Pattern {
  const char* name;
  Columns (*read_by)(std::size_t step, std::size_t i, std::size_t width);
};
constexpr Pattern patterns[] = {{"trivial", trivial}, {"stencil", stencil}, {"fft", fft},
                                {"tree", tree},       {"random", random},   {"spread", spread}};

/// A task's own work.
std::uint64_t work(std::uint64_t value, std::size_t iterations) {
  for (std::size_t i = 0; i < iterations; ++i)
    value = value * 6364136223846793005U + 1442695040888963407U;
  return hidden(value);
}

/// A pattern's graph, and what it must compute.
class PatternGraph {
 public:
  PatternGraph(World& world, const Pattern& pattern)
      : world_(world),
        pattern_(pattern),
        width_(columns_each * static_cast<std::size_t>(world.size())) {}

  [[nodiscard]] std::size_t tasks() const { return steps * width_; }

  /// Nanoseconds until all tasks are done, on rank 0.
  double run(std::size_t iterations) {
    task_graph graph(world_);
    task_data<std::uint64_t> values(graph, steps + 1, width_, [](std::size_t, std::size_t i) {
      return static_cast<int>(i / columns_each);
    });
    world_.barrier();
    const double start = now_ns();
    for (std::size_t t = 0; t < steps; ++t)
      for (std::size_t i = 0; i < width_; ++i) spawn(graph, values, t, i, iterations);
    graph.wait();
    const double time = now_ns() - start;
    check(values, iterations);
    return time;
  }

 private:
  static std::uint64_t value(std::size_t t, std::size_t i, std::uint64_t read,
                             std::size_t iterations) {
    return work(mixed(t * 4096 + i) + read, iterations);
  }
  void spawn(task_graph& graph, task_data<std::uint64_t>& values, std::size_t t, std::size_t i,
             std::size_t iterations) {
    const Columns from = pattern_.read_by(t, i, width_);
    const auto task = [t, i, iterations](auto&... all) {
      // The item that is written comes last.
      const std::array<std::uint64_t*, sizeof...(all)> items{const_cast<std::uint64_t*>(&all)...};
      std::uint64_t read = 0;
      for (std::size_t k = 0; k + 1 < items.size(); ++k) read += *items[k];
      *items.back() = value(t, i, read, iterations);
    };
    const auto to = writes(values(t + 1, i));
    switch (from.count) {
      case 0:
        graph.spawn(task, to);
        break;
      case 1:
        graph.spawn(task, reads(values(t, from.at[0])), to);
        break;
      case 2:
        graph.spawn(task, reads(values(t, from.at[0])), reads(values(t, from.at[1])), to);
        break;
      default:
        graph.spawn(task, reads(values(t, from.at[0])), reads(values(t, from.at[1])),
                    reads(values(t, from.at[2])), to);
    }
  }
  /// Ends the job if the last row is not what the serial program computes.
  void check(task_data<std::uint64_t>& values, std::size_t iterations) {
    if (iterations != expected_for_) {
      expected_for_ = iterations;
      expected_.assign(width_, 0);
      std::vector<std::uint64_t> next(width_);
      for (std::size_t t = 0; t < steps; ++t, expected_.swap(next))
        for (std::size_t i = 0; i < width_; ++i) {
          const Columns from = pattern_.read_by(t, i, width_);
          std::uint64_t read = 0;
          for (std::size_t k = 0; k < from.count; ++k) read += expected_[from.at[k]];
          next[i] = value(t, i, read, iterations);
        }
    }
    for (std::size_t i = 0; i < width_; ++i)
      if (values.owner(steps * width_ + i) == world_.rank() &&
          values.read(steps * width_ + i) != expected_[i]) {
        std::fprintf(stderr, "bench tasks: the pattern %s computes something wrong\n",
                     pattern_.name);
        std::exit(1);
      }
  }

  World& world_;
  Pattern pattern_;
  std::size_t width_;
  std::size_t expected_for_ = SIZE_MAX;
  std::vector<std::uint64_t> expected_;
};

/// Nanoseconds of an iteration of work() while all ranks compute.
double iteration_ns(World& world) {
  constexpr std::size_t iterations = 1 << 18;
  double best = 1e30;
  for (int i = 0; i < 5; ++i) {
    world.barrier();
    const double start = now_ns();
    keep(work(static_cast<std::uint64_t>(i), iterations));
    best = std::min(best, (now_ns() - start) / iterations);
  }
  return broadcast(world, best, 0);
}

/// METG(50 %) in ns: from large tasks to small ones, until less than half of the time is work.
double smallest_task_ns(World& world, const Pattern& pattern, int batches) {
  PatternGraph graph(world, pattern);
  const double iteration = iteration_ns(world);
  double smallest = 0;
  for (double work_ns = 64'000; work_ns >= 62.5; work_ns /= 2) {
    const auto iterations = static_cast<std::size_t>(work_ns / iteration);
    std::vector<double> times;
    for (int i = 0; i < batches; ++i) times.push_back(graph.run(iterations));
    const double each = median(times) * world.size() / static_cast<double>(graph.tasks());
    const bool is_half = static_cast<double>(iterations) * iteration >= each / 2;
    // Without any that keeps half, the largest counts.
    if (is_half || smallest == 0) smallest = each;
    if (!broadcast(world, is_half, 0)) break;
  }
  return smallest;
}

}  // namespace

void task_pattern_rows(Stage& stage, const std::string& tail) {
  for (const Pattern& pattern : patterns) {
    const std::string op = "metg_" + std::string(pattern.name) + tail;
    if (!stage.has(op)) continue;
    const double ns = smallest_task_ns(stage.world(), pattern, stage.effort().batches_min);
    if (stage.acts()) stage.report({op, 0}, {.ns = ns, .limit_ns = {}});
  }
}

void empty_task_row(Stage& stage, const std::string& tail) {
  const std::string op = "empty" + tail;
  if (!stage.has(op)) return;
  const std::size_t count = 10 * stage.effort().burst;
  std::vector<double> times;
  for (int i = 0; i < stage.effort().batches_min; ++i) {
    task_graph graph(stage.world());
    stage.world().barrier();
    const double start = now_ns();
    for (std::size_t task = 0; task < count; ++task) graph.spawn([] {});
    graph.wait();
    times.push_back((now_ns() - start) / static_cast<double>(count));
  }
  if (stage.acts()) stage.report({op, 0}, {.ns = median(times), .limit_ns = {}});
}

}  // namespace armature::bench
