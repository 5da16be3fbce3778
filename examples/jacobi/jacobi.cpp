// Jacobi iteration on a square, each rank a band of its rows. Every step replaces each point by the
// mean of its neighbours, for which a rank needs the rows next to its own from either side.
//
//   armature run -n 4 jacobi [--n 1023] [--steps 500] [--by puts|calls]
//   armature run -n 4 --threads 2 jacobi
//
// The rows travel by a put and a notification, or as the argument of a remote call; the program is
// the same whether ranks are processes, threads, or both. It begins with sin(pi x) sin(pi y), which
// a step multiplies by cos(pi h), and by that its result is checked.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <numbers>
#include <string_view>
#include <utility>
#include <vector>

#include <armature/armature.hpp>
#include <armature/clock.hpp>

namespace {

using armature::World;

struct Options {
  int n = 1023;  // points in a row that are not on the edge
  int steps = 500;
  bool calls = false;
};

/// Replaces the inner points of a row of grids that are `width` wide. Returns the largest change.
/// Not inlined: GCC 12 would keep that in memory, which takes three times as long.
[[gnu::noinline]] double step_row(double* next, const double* here, int width) {
  const double *up = here - width, *down = here + width;
  double change = 0;
  for (int j = 1; j + 1 < width; ++j) {
    next[j] = 0.25 * (up[j] + down[j] + here[j - 1] + here[j + 1]);
    const double by = std::abs(next[j] - here[j]);
    change = by > change ? by : change;
  }
  return change;
}

/// This rank's rows, twice: a step reads one grid and writes the other. Each has a row more on
/// either side, where the neighbours' go.
class Band {
 public:
  enum Side { above, below };

  Band(const World& world, const Options& options)
      : world_(world),
        width_(options.n + 2),
        first_(first_row(world.rank(), options)),
        rows_(first_row(world.rank() + 1, options) - first_),
        rows_above_(world.rank() > 0 ? first_ - first_row(world.rank() - 1, options) : 0),
        grids_{world.allocate<double>(points()), world.allocate<double>(points())} {
    for (int i = 0; i <= rows_ + 1; ++i)
      for (int j = 0; j < width_; ++j) at(0, i, j) = at(1, i, j) = exact(options, 0, i, j);
  }

  /// Puts my outer rows to where the neighbours' step `step` reads them. They have read there what
  /// came two steps ago: without that they would not have sent what I had for the last step.
  void put_rows(int step) const {
    const int me = world_.rank();
    if (has(above)) {
      put(grid(step).on(me - 1) + (rows_above_ + 1) * width_, row(step, 1), width_);
      armature::notify(me - 1);
    }
    if (has(below)) {
      put(grid(step).on(me + 1), row(step, rows_), width_);
      armature::notify(me + 1);
    }
    if (has(above)) armature::wait_notify(me - 1);
    if (has(below)) armature::wait_notify(me + 1);
  }

  /// Sends the rows by calls of take_row, which the neighbours execute while they wait for ours.
  void send_rows(int step, const armature::shared_ref<Band>& bands) {
    const auto values = [&](int i) {
      return std::vector<double>(row(step, i), row(step, i) + width_);
    };
    const int me = world_.rank();
    if (has(above)) bands.async(me - 1, &Band::take_row, below, step, values(1));
    if (has(below)) bands.async(me + 1, &Band::take_row, above, step, values(rows_));
    while ((has(above) && taken_[above] <= step) || (has(below) && taken_[below] <= step))
      armature::rmi_wait();
  }
  void take_row(Side from, int step, const std::vector<double>& values) {
    std::copy(values.begin(), values.end(), row(step, from == above ? 0 : rows_ + 1));
    ++taken_[from];
  }

  /// Returns the largest change of this rank's points.
  double step(int number) {
    double change = 0;
    for (int i = 1; i <= rows_; ++i)
      change = std::max(change, step_row(row(number + 1, i), row(number, i), width_));
    return change;
  }

  [[nodiscard]] double error(const Options& options) {
    double error = 0;
    for (int i = 1; i <= rows_; ++i)
      for (int j = 0; j < width_; ++j) {
        const double off = at(options.steps, i, j) - exact(options, options.steps, i, j);
        // std::max would drop a NaN.
        error = std::max(error, std::isnan(off) ? HUGE_VAL : std::abs(off));
      }
    return error;
  }

 private:
  [[nodiscard]] int first_row(int rank, const Options& options) const {
    return 1 + static_cast<int>(static_cast<long>(options.n) * rank / world_.size());
  }
  [[nodiscard]] std::size_t points() const {
    return static_cast<std::size_t>(rows_ + 2) * static_cast<std::size_t>(width_);
  }
  [[nodiscard]] bool has(Side side) const {
    return side == above ? world_.rank() > 0 : world_.rank() + 1 < world_.size();
  }
  [[nodiscard]] const armature::Piece<double>& grid(int step) const { return grids_[step % 2]; }
  [[nodiscard]] double* row(int step, int i) const {
    return grid(step).local().data() + static_cast<std::ptrdiff_t>(i) * width_;
  }
  double& at(int step, int i, int j) { return row(step, i)[j]; }
  [[nodiscard]] double exact(const Options& options, int steps, int i, int j) const {
    const double h = std::numbers::pi / (options.n + 1);
    return std::pow(std::cos(h), steps) * std::sin(h * (first_ + i - 1)) * std::sin(h * j);
  }

  const World& world_;
  int width_, first_, rows_, rows_above_;
  armature::Piece<double> grids_[2];
  int taken_[2] = {0, 0};
};

int solve(World& world, Options options) {
  armature::shared<Band> band(world, world, options);
  const std::uint64_t start_ns = armature::clock_ns();  // in a simulation, the simulated clock
  double change = 0;
  for (int step = 0; step < options.steps; ++step) {
    options.calls ? band->send_rows(step, band) : band->put_rows(step);
    change = band->step(step);
    if (step % 100 == 99 || step + 1 == options.steps)
      change = allreduce(world, change, armature::Maximum());
  }
  const double seconds = 1e-9 * static_cast<double>(armature::clock_ns() - start_ns);
  const double error = allreduce(world, band->error(options), armature::Maximum());
  const bool good = error < 1e-10;
  if (world.rank() == 0)
    std::printf(
        "%d x %d points, %d ranks, %d steps by %s: %.4f s, %.0f M points/s, last change "
        "%.2e, error %.1e: %s\n",
        options.n, options.n, world.size(), options.steps, options.calls ? "calls" : "puts",
        seconds, 1e-6 * options.n * options.n * options.steps / std::max(seconds, 1e-9), change,
        error, good ? "correct" : "WRONG");
  return good ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  Options options;
  bool good = argc % 2 == 1;
  for (int i = 1; i + 1 < argc; i += 2) {
    const std::string_view option = argv[i], value = argv[i + 1];
    if (option == "--n")
      good = (options.n = std::atoi(argv[i + 1])) > 0 && good;
    else if (option == "--steps")
      good = (options.steps = std::atoi(argv[i + 1])) > 0 && good;
    else if (option == "--by")
      good = (options.calls = value == "calls", value == "calls" || value == "puts") && good;
    else
      good = false;
  }
  if (!good) {
    std::fprintf(stderr, "usage: jacobi [--n POINTS] [--steps STEPS] [--by puts|calls]\n");
    return 2;
  }
  return armature::run(argc, argv, [options](World& world) {
    if (options.n < world.size()) armature::abort(2, "jacobi: fewer rows than ranks");
    return solve(world, options);
  });
}
