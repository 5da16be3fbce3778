// Virtual ranks beside a program that has nothing to do with the job, and takes what it can get of
// one processor.
#include <sched.h>
#include <signal.h>
#include <spawn.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <optional>
#include <string>
#include <system_error>
#include <vector>

#include <armature/armature.hpp>
#include <armature/locality.hpp>
#include <armature/rebalance.hpp>
#include <armature/virtual.hpp>

#include "bench/hotspot.hpp"
#include "bench/rows.hpp"
#include "bench/sample.hpp"

namespace armature::bench {
namespace {

/// A program that computes on the processor of the calling thread, until this ends.
class ForeignProgram {
 public:
  ForeignProgram() {
    std::string words[] = {"/proc/self/exe", "bench-rank", "busy"};
    char* arguments[] = {words[0].data(), words[1].data(), words[2].data(), nullptr};
    const int error = posix_spawn(&child_, arguments[0], nullptr, nullptr, arguments, environ);
    if (error != 0) throw std::system_error(error, std::generic_category(), "bench: busy");
  }
  ForeignProgram(const ForeignProgram&) = delete;
  ForeignProgram& operator=(const ForeignProgram&) = delete;
  ~ForeignProgram() {
    kill(child_, SIGKILL);
    waitpid(child_, nullptr, 0);
  }

 private:
  pid_t child_ = 0;
};

double cpu_ns() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return 1e9 * static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec);
}

/// Steps of all ranks: how long they take, and how much of that all ranks together computed.
struct Steps {
  double ns = 0, computed_ns = 0;
};

Steps perform(World& world, int steps) {
  double computed_ns = 0;
  world.barrier();
  const double begun_ns = now_ns();
  for (int step = 0; step < steps; ++step) {
    const double before_ns = cpu_ns();
    HotSpot::compute(20 * HotSpot::units_even);
    computed_ns += cpu_ns() - before_ns;
    world.barrier();
  }
  const double ns = now_ns() - begun_ns;
  return {ns / steps, allreduce(world, computed_ns) / steps};
}

}  // namespace

void compute_for_ever() {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  for (const pid_t parent = getppid();; keep(parent))
    if (getppid() != parent) std::exit(0);
}

void foreign_load_row(World& world, const Settings& settings, const std::string& op) {
  constexpr int steps = 5;
  // Half of one processor is the other program's.
  const double processors = domain_count(Domain::process) - 0.5;
  const bool asks = op == "foreign.rebalanced";
  // The process of rank 0 has a child, and rows are written from there.
  std::optional<Pinned> stays;
  std::optional<ForeignProgram> foreign;
  if (world.rank() == 0) {
    stays.emplace();
    foreign.emplace();
  }
  (void)perform(world, steps);
  std::vector<double> ns, limit_ns;
  const int rounds = std::clamp(settings.effort.batches, 4, 12);
  for (int round = 0; round < rounds; ++round) {
    if (asks) (void)rebalance(world, {.strategy = balance::refine});
    const Steps done = perform(world, steps);
    if (round < rounds / 3) continue;  // balancing begins
    ns.push_back(done.ns);
    limit_ns.push_back(done.computed_ns / processors);
  }
  if (world.rank() == 0) {
    const Timing middle = pair_in_the_middle(ns, limit_ns);
    settings.report({.op = op, .bytes = 0, .ns = middle.ns, .limit_ns = middle.limit_ns});
  }
}

}  // namespace armature::bench
