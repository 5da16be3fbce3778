#include <algorithm>
#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "bench/rows.hpp"
#include "bench/sample.hpp"

// Every collective call, with short, middling and long data in private memory: what a program that
// comes from MPI has. peers/collectives.c measures the same in the same way.

namespace armature::bench {

namespace {

/// A rank's data: as many doubles as the row has bytes, and one at least for each rank.
class Data {
 public:
  Data(World& world, std::size_t bytes)
      : block_(std::max<std::size_t>(
            1, bytes / sizeof(double) / static_cast<std::size_t>(world.size()))),
        values_(bytes / sizeof(double), 1.0),
        from_(block_ * static_cast<std::size_t>(world.size()), 1.0),
        to_(from_.size()) {}

  [[nodiscard]] std::span<double> values() { return values_; }
  [[nodiscard]] std::span<const double> from() const { return from_; }
  [[nodiscard]] std::span<double> to() { return to_; }
  [[nodiscard]] std::span<const double> block_from() const { return from().first(block_); }
  [[nodiscard]] std::span<double> block_to() { return to().first(block_); }

 private:
  std::size_t block_;
  std::vector<double> values_, from_, to_;
};

/// The time of a call that all ranks make, at rank 0: the middle one of batches, each of which all
/// begin together and end together.
template <class Call>
double ns_together(World& world, const Effort& effort, Call&& call) {
  constexpr double calls_min = 2, calls_max = 1e5, batches_min = 3, batches_max = 25;
  const auto batch = [&](int calls) {
    world.barrier();
    const double start = now_ns();
    for (int i = 0; i < calls; ++i) call();
    world.barrier();
    return (now_ns() - start) / calls;
  };
  const double once_ns = batch(2);
  const double wanted = std::clamp(effort.budget_ns / batches_max / once_ns, calls_min, calls_max);
  const int calls = broadcast(world, static_cast<int>(wanted), 0);
  const double fit = effort.budget_ns / (calls * once_ns);
  const int batches =
      broadcast(world, static_cast<int>(std::clamp(fit, batches_min, batches_max)), 0);
  std::vector<double> ns;
  for (int i = 0; i < batches; ++i) ns.push_back(batch(calls));
  return median(std::move(ns));
}

}  // namespace

void every_collective(World& world, const Settings& settings) {
  const std::string tail = ".p" + std::to_string(world.size());
  const auto row = [&](const char* name, std::size_t bytes, auto call) {
    const std::string op = name + tail;
    if (!wanted(settings.only, op)) return;
    const double ns = ns_together(world, settings.effort, call);
    if (world.rank() == 0) settings.report({.op = op, .bytes = bytes, .ns = ns, .limit_ns = {}});
  };
  row("barrier", 0, [&] { world.barrier(); });
  for (const std::size_t bytes : {std::size_t{8}, std::size_t{65536}, std::size_t{1} << 20}) {
    Data data(world, bytes);
    row("broadcast", bytes, [&] { broadcast(world, data.values(), 0); });
    row("reduce", bytes, [&] { reduce(world, data.values(), 0, Maximum()); });
    row("allreduce", bytes, [&] { allreduce(world, data.values(), Maximum()); });
    row("scan", bytes, [&] { scan(world, data.values(), Maximum()); });
    row("scatter", bytes, [&] { scatter(world, data.from(), data.block_to(), 0); });
    row("gather", bytes, [&] { gather(world, data.block_from(), data.to(), 0); });
    row("allgather", bytes, [&] { allgather(world, data.block_from(), data.to()); });
    row("alltoall", bytes, [&] { alltoall(world, data.from(), data.to()); });
  }
}

}  // namespace armature::bench
