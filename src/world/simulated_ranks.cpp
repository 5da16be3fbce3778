#include "world/simulated_ranks.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <fstream>
#include <vector>

#include <fmt/format.h>

#include "base/fail.hpp"
#include "engines/sim/seeded_fault_model.hpp"
#include "failure/crash_report.hpp"
#include "failure/losses.hpp"
#include "simulation/prediction.hpp"
#include "simulation/simulator.hpp"
#include "simulation/timed_network.hpp"
#include "world/call_body.hpp"
#include "world/job.hpp"

namespace armature::hosting {
namespace {

/// The ranks of a simulation are run by these.
struct Machinery {
  wait::Scheduler& scheduler;
  transport::FaultModel& fault_model;
};

/// The life of each rank: its status goes to its place.
class Lives {
 public:
  Lives(const Process& process, detail::Body body, void* callable)
      : spaces_(process.spaces()), body_(body), callable_(callable), statuses_(spaces_.size()) {}

  [[nodiscard]] int count() const { return static_cast<int>(statuses_.size()); }
  void live(int rank, const Machinery& with) {
    const auto index = static_cast<std::size_t>(rank);
    Job job(*spaces_[index], &with.scheduler, &with.fault_model);
    statuses_[index] = call_body(body_, callable_, job.world());
    job.leave();
  }
  /// The first that is not 0.
  [[nodiscard]] int status() const {
    const auto failed = std::ranges::find_if(statuses_, [](int s) { return s != 0; });
    return failed == statuses_.end() ? 0 : *failed;
  }

 private:
  decltype(std::declval<const Process&>().spaces()) spaces_;
  detail::Body body_;
  void* callable_;
  std::vector<int> statuses_;
};

void report(const simulation::Prediction& prediction) {
  failure::say_line(simulation::to_text(prediction));
  const char* const path = std::getenv(simulation::prediction_file_variable);
  if (path == nullptr) return;
  std::ofstream file(path);
  file << simulation::to_json(prediction);
  file.close();
  if (!file)
    base::fail(Errc::start,
               fmt::format("{}={} cannot be written", simulation::prediction_file_variable, path));
}

void simulate_faults(const Process& process, Lives& lives) {
  simulation::Simulator simulator(process.mapping(), lives.count(), failure::die);
  transport::sim::SeededFaultModel fault_model(lives.count(), simulator.random(),
                                               simulator.clock());
  simulator.set_fault_model(fault_model);
  simulator.run([&](int rank) { lives.live(rank, {simulator, fault_model}); });
}

void simulate_times(const Process& process, Lives& lives, const transport::NetworkCosts& costs) {
  simulation::TimedSimulator simulator(process.mapping(), lives.count(), failure::die);
  simulation::TimedNetwork network(process.mapping(), simulator, costs);
  simulator.run([&](int rank) { lives.live(rank, {simulator, network}); });
  report(simulation::sum_up(lives.count(), simulator, network));
}

}  // namespace

int simulate(const Process& process, detail::Body body, void* callable) {
  wait::set_joining_rank(-1);
  Lives lives(process, body, callable);
  if (const char* const costs = std::getenv(transport::network_costs_variable))
    simulate_times(process, lives, transport::parse_network_costs(costs));
  else
    simulate_faults(process, lives);
  return lives.status();
}

}  // namespace armature::hosting
