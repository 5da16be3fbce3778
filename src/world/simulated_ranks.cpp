#include "world/simulated_ranks.hpp"

#include <algorithm>
#include <vector>

#include "failure/crash_report.hpp"
#include "fibers/simulator.hpp"
#include "transport/sim/seeded_fault_model.hpp"
#include "world/call_body.hpp"
#include "world/job.hpp"

namespace armature::hosting {

int simulate(const Process& process, detail::Body body, void* callable) {
  const auto& spaces = process.spaces();
  simulation::Simulator simulator(process.mapping(), static_cast<int>(spaces.size()), failure::die);
  transport::sim::SeededFaultModel fault_model(static_cast<int>(spaces.size()), simulator.random(),
                                               simulator.clock());
  simulator.set_fault_model(fault_model);
  wait::set_joining_rank(-1);
  std::vector<int> statuses(spaces.size());
  simulator.run([&](int rank) {
    const auto index = static_cast<std::size_t>(rank);
    Job job(*spaces[index], &simulator, &fault_model);
    statuses[index] = call_body(body, callable, job.world());
    job.leave();
  });
  const auto failed = std::find_if(statuses.begin(), statuses.end(), [](int s) { return s != 0; });
  return failed == statuses.end() ? 0 : *failed;
}

}  // namespace armature::hosting
