// A stencil with a hot spot that moves: near it, cells need many more sweeps than elsewhere, and
// each step is over when all ranks have done theirs. Where ranks stay where they began, a process
// waits for the one that has the spot; with --balance it takes ranks from it, and the program knows
// nothing of it:
//
//   armature run -n 32 --virtual --processes 2 build/bin/examples/hotspot
//   armature run -n 32 --virtual --processes 2 --balance build/bin/examples/hotspot
//
// Or it says itself, at every so many steps, that ranks shall go where the last ones would have
// been over first; then they change nodes, too:
//
//   armature run -n 32 --virtual --nodes 2 --processes 4 build/bin/examples/hotspot 200 10
//
// Nodes may come and go then, as ranks meet (armature join, or kill a node's processes):
//
//   armature run -n 32 --virtual --nodes 2 --processes 2 --elastic --copy-every 1
//     build/bin/examples/hotspot 2000 10
//
// It prints how long the steps took, and how long they would have taken if all that was computed
// had been spread evenly over the processes. The field's sum does not depend on who computed what.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <vector>

#include <armature/armature.hpp>
#include <armature/checkpoint.hpp>
#include <armature/locality.hpp>
#include <armature/rebalance.hpp>

namespace {

using armature::World;

constexpr int cells = 4000;  // of each rank, in a ring of all

double thread_seconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

double seconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

/// How often a rank sweeps over its cells while the spot is there, both as parts of the ring.
int sweeps(double rank, double spot) {
  double distance = std::fabs(rank - spot);
  distance = std::min(distance, 1 - distance);
  return 2 + static_cast<int>(100 * std::exp(-60 * distance * distance));
}

class Strip {
 public:
  explicit Strip(World& world)
      : world_(world), edges_(world.allocate<double>(2)), field_(cells + 2, world.rank() % 7) {}

  /// Computes the neighbours' cells, then its own.
  void step(double spot) {
    const int ranks = world_.size(), me = world_.rank();
    armature::put(edges_.on((me + 1) % ranks), field_[cells]);
    armature::put(edges_.on((me + ranks - 1) % ranks) + 1, field_[1]);
    world_.barrier();
    field_[0] = edges_[0];
    field_[cells + 1] = edges_[1];
    const double begun = thread_seconds();
    for (int i = sweeps(static_cast<double>(me) / ranks, spot); i > 0; --i) sweep();
    computed_ += thread_seconds() - begun;
    world_.barrier();
  }
  [[nodiscard]] double sum() const {
    double sum = 0;
    for (int i = 1; i <= cells; ++i) sum += field_[static_cast<std::size_t>(i)];
    return sum;
  }
  [[nodiscard]] double computed() const { return computed_; }

 private:
  void sweep() {
    double left = field_[0];
    for (std::size_t i = 1; i <= cells; ++i) {
      const double here = field_[i];
      field_[i] = 0.25 * left + 0.5 * here + 0.25 * field_[i + 1];
      left = here;
    }
  }

  World& world_;
  armature::Piece<double> edges_;
  std::vector<double> field_;
  double computed_ = 0;
};

}  // namespace

int main(int argc, char** argv) {
  const int steps = argc > 1 ? std::atoi(argv[1]) : 200;
  const int rebalanced_every = argc > 2 ? std::atoi(argv[2]) : 0;
  return armature::run(argc, argv, [steps, rebalanced_every](World& world) {
    Strip strip(world);
    world.barrier();
    const double begun = seconds();
    for (int step = 0; step < steps; ++step) {
      if (rebalanced_every > 0 && step % rebalanced_every == 0) {
        armature::rebalance(world);
        armature::checkpoint({.when_due = true});
      }
      strip.step(static_cast<double>(step) / steps);
    }
    const double took = seconds() - begun;
    const int processes = armature::domain_count(armature::Domain::process);
    const double ideal = allreduce(world, strip.computed()) / processes;
    const double sum = allreduce(world, strip.sum());
    if (world.rank() == 0)
      std::printf("%d steps on %d processes: %.3f s, ideal %.3f s (%.0f %%), sum %.6f\n", steps,
                  processes, took, ideal, 100 * ideal / took, sum);
  });
}
