#include "world/virtual_ranks.hpp"

#include <algorithm>
#include <cstdint>
#include <memory>
#include <vector>

#include "virtual/rank_scheduler.hpp"
#include "world/job.hpp"

namespace armature::hosting {
namespace {

/// What the ranks of the run have in common.
struct Run {
  const Process& process;
  detail::Body body;
  void* callable;
  fibers::RankScheduler& scheduler;
  std::vector<std::unique_ptr<space::AddressSpace>> spaces;
  std::vector<int> statuses;
};

/// A virtual rank from its first to its last instruction.
void live(int rank, void* argument) {
  auto& run = *static_cast<Run*>(argument);
  const auto index = static_cast<std::size_t>(rank - run.process.first_rank());
  Job job(*run.spaces[index], &run.scheduler);
  run.statuses[index] = run.body(run.callable, job.world());
  job.leave();
}

}  // namespace

int run_virtual(const Process& process, detail::Body body, void* callable) {
  const space::Mapping& mapping = process.mapping();
  const int first = process.first_rank(), hosted = Process::hosted();
  fibers::RankScheduler scheduler(mapping,
                                  mapping.slot(first).process.load(std::memory_order_relaxed));
  Run run{process,   body, callable,
          scheduler, {},   std::vector<int>(static_cast<std::size_t>(hosted))};
  progress::set_joining_rank(-1);
  for (int rank = first; rank < first + hosted; ++rank) {
    const auto offset = static_cast<std::uint64_t>(rank) * mapping.band_bytes();
    run.spaces.push_back(std::make_unique<space::AddressSpace>(
        mapping, rank, space::AddressSpace::BandFile{process.band_file(), offset}));
    scheduler.add(fibers::RankFiber::make(mapping, rank, {&live, &run}));
  }
  scheduler.run();
  const auto failed =
      std::find_if(run.statuses.begin(), run.statuses.end(), [](int s) { return s != 0; });
  return failed == run.statuses.end() ? 0 : *failed;
}

}  // namespace armature::hosting
