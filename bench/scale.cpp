#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <string>
#include <vector>

#include <armature/armature.hpp>

#include "bench/job.hpp"
#include "bench/resident.hpp"
#include "bench/rows.hpp"
#include "bench/sample.hpp"

// One job of several that grow: how long it takes to start, the memory of a rank, and what calls
// take that all ranks make together.

namespace armature::bench {

namespace {

/// The mean of a call that all ranks make together, over as many as take so long.
template <class Call>
double mean_ns(World& world, double so_long_ns, Call&& call) {
  call();
  double start = now_ns();
  call();
  const double once_ns = now_ns() - start;
  constexpr double calls_min = 3, calls_max = 1e4;
  const int calls =
      broadcast(world, static_cast<int>(std::clamp(so_long_ns / once_ns, calls_min, calls_max)), 0);
  world.barrier();
  start = now_ns();
  for (int i = 0; i < calls; ++i) call();
  return (now_ns() - start) / calls;
}

/// Bytes that the job has added to the processes of its ranks, divided by these. Virtual ranks of a
/// process follow each other, and the first of them tells for all.
std::size_t bytes_of_rank(World& world, std::size_t bytes_before) {
  const int me = world.rank();
  const bool tells = me == 0 || !same_process(me - 1, me);
  const std::size_t now = tells ? resident_bytes() : 0;
  return allreduce(world, now - std::min(now, bytes_before)) /
         static_cast<std::size_t>(world.size());
}

/// Writes to both neighbours in a ring, and meets all: the exchange of a halo.
class Halo {
 public:
  explicit Halo(World& world)
      : world_(world), cells_(world.allocate<double>(2 * side_)), side_of_mine_(side_) {}
  void exchange() {
    const int me = world_.rank(), ranks = world_.size();
    put(cells_.on((me + 1) % ranks), side_of_mine_);
    put(cells_.on((me + ranks - 1) % ranks) + side_, side_of_mine_);
    world_.barrier();
  }
  static constexpr std::size_t bytes = 4096;

 private:
  static constexpr std::size_t side_ = bytes / sizeof(double);
  World& world_;
  Piece<double> cells_;
  std::vector<double> side_of_mine_;
};

}  // namespace

void scale_rows(World& world, const Settings& settings, std::size_t bytes_before) {
  world.barrier();
  const double met_ns = now_ns();
  const std::size_t bytes = bytes_of_rank(world, bytes_before);
  const std::string tail = (same_process(0, 1) ? ".v" : ".p") + std::to_string(world.size());
  const auto tell = [&](const std::string& op, std::size_t of_bytes, double ns) {
    if (world.rank() == 0)
      settings.report({.op = op + tail, .bytes = of_bytes, .ns = ns, .limit_ns = {}});
  };
  if (const char* const started = std::getenv(started_variable))
    tell("start", bytes, met_ns - std::atof(started));
  const double so_long_ns = settings.effort.budget_ns;
  Halo halo(world);
  tell("halo", Halo::bytes, mean_ns(world, so_long_ns, [&] { halo.exchange(); }));
  if (domain_count(Domain::smp) > 1)
    tell("connections", 0, allreduce(world, connected_processes(), Maximum()));
  tell("barrier", 0, mean_ns(world, so_long_ns, [&] { world.barrier(); }));
  tell("allreduce", sizeof(double),
       mean_ns(world, so_long_ns, [&] { keep(allreduce(world, 1.0)); }));
}

}  // namespace armature::bench
