#include "world/virtual_ranks.hpp"

#include <algorithm>
#include <vector>

#include "virtual/addresses.hpp"
#include "virtual/rank_malloc.hpp"
#include "virtual/rank_scheduler.hpp"
#include "world/job.hpp"

namespace armature::hosting {
namespace {

/// What the ranks of the run have in common. In a static: a rank that has moved finds the same
/// there, since in all processes it lies at the same address.
struct Run {
  fibers::RankScheduler* scheduler = nullptr;
  detail::Body body = nullptr;
  void* callable = nullptr;
  std::vector<int> statuses;  // of the ranks that have ended here
};
Run together;

/// A virtual rank from its first to its last instruction.
void live(int rank, void* /*argument*/) {
  Job job(fibers::RankFiber::of(*space::Mapping::of_process(), rank).space(), together.scheduler);
  const int status = together.body(together.callable, job.world());
  job.leave();
  together.statuses[static_cast<std::size_t>(rank)] = status;
}

}  // namespace

int run_virtual(const Process& process, detail::Body body, void* callable) {
  const space::Mapping& mapping = process.mapping();
  const int first = process.first_rank(), hosted = Process::hosted();
  fibers::find_rank_malloc(mapping);
  fibers::RankScheduler scheduler(mapping,
                                  mapping.slot(first).process.load(std::memory_order_relaxed));
  together = {&scheduler, body, callable,
              std::vector<int>(static_cast<std::size_t>(mapping.ranks()))};
  const void* const places[] = {&together, reinterpret_cast<const void*>(body), callable};
  fibers::compare_addresses(mapping.header(), places);
  progress::set_joining_rank(-1);
  for (int rank = first; rank < first + hosted; ++rank)
    scheduler.add(fibers::RankFiber::make(mapping, process.band_file(), rank, {&live, nullptr}));
  scheduler.run();
  const auto failed = std::find_if(together.statuses.begin(), together.statuses.end(),
                                   [](int s) { return s != 0; });
  return failed == together.statuses.end() ? 0 : *failed;
}

}  // namespace armature::hosting
