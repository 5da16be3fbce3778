#include "world/virtual_ranks.hpp"

#include <algorithm>
#include <iterator>
#include <memory>
#include <vector>

#include <fmt/format.h>

#include "base/fail.hpp"
#include "rmi/modules.hpp"
#include "transport/sim/seeded_weather.hpp"
#include "virtual/addresses.hpp"
#include "virtual/checkpoint/builds.hpp"
#include "virtual/rank_malloc.hpp"
#include "virtual/rank_scheduler.hpp"
#include "virtual/simulated_process.hpp"
#include "world/job.hpp"
#include "world/last_words.hpp"

namespace armature::hosting {
namespace {

/// What the ranks of the run have in common. In a static: a rank that has moved finds the same
/// there, since in all processes it lies at the same address.
struct Run {
  detail::Body body = nullptr;
  void* callable = nullptr;
  transport::Weather* weather = nullptr;  // of a simulation
};
Run together;

/// A virtual rank from its first to its last instruction.
void live(int rank, void* /*argument*/) {
  Job job(fibers::RankFiber::of(*space::Mapping::of_process(), rank).space(),
          &fibers::RankScheduler::here(), together.weather);
  const int status = together.body(together.callable, job.world());
  job.leave();
  fibers::RankFiber::of(*space::Mapping::of_process(), rank).status = status;
}

/// That this process is one which can go on where those that wrote the checkpoint stopped.
void require_same_process(const space::ControlHeader& job, bool same_addresses) {
  const auto builds = checkpoints::Builds::of_process();
  const auto compare = [](const checkpoints::BuildId& here, const std::uint8_t(&there)[20],
                          const char* what) {
    checkpoints::BuildId written;
    std::copy(std::begin(there), std::end(there), written.begin());
    if (written != here)
      base::fail(Errc::start,
                 fmt::format("restart: {} is another build than the one that the checkpoint was "
                             "written by: it has build id {} here and had {}",
                             what, checkpoints::text(here), checkpoints::text(written)));
  };
  compare(builds.program, job.halt.build[0], "the program");
  compare(builds.library, job.halt.build[1], "libarmature");
  if (!same_addresses)
    base::fail(Errc::start,
               "restart: code or data lie at other addresses than when the checkpoint was written: "
               "another library is another build, or is loaded from elsewhere, or the kernel does "
               "not let addresses be fixed here (armature doctor)");
}

/// Ranks go on where they waited.
void restore_ranks(const space::Mapping& mapping, int first, int hosted,
                   fibers::RankScheduler& scheduler) {
  rmi::find_modules();
  for (int rank = first; rank < first + hosted; ++rank)
    scheduler.restore(fibers::RankFiber::of(mapping, rank));
}

bool compare_addresses(const space::Mapping& mapping) {
  const void* const places[] = {&together, reinterpret_cast<const void*>(together.body),
                                together.callable};
  return fibers::compare_addresses(mapping.header(), places);
}

/// That of the first that has one other than 0.
int status_of(const space::Mapping& mapping, int first, int hosted) {
  for (int rank = first; rank < first + hosted; ++rank)
    if (const int status = fibers::RankFiber::of(mapping, rank).status; status != 0) return status;
  return 0;
}

/// All processes of the job are in this one.
int simulate_processes(const space::Mapping& mapping, int band_file) {
  const auto processes = static_cast<int>(mapping.header().processes);
  simulation::Simulator simulator(mapping, processes, detail::die);
  transport::sim::SeededWeather weather(mapping.ranks(), simulator.random(), simulator.clock());
  weather.name_those_due();
  simulator.set_weather(weather);
  simulator.let_some_compute();
  together.weather = &weather;
  progress::set_joining_rank(-1);
  std::vector<std::unique_ptr<simulation::SimulatedProcess>> schedulers;
  for (int number = 0; number < processes; ++number) {
    (void)compare_addresses(mapping);
    schedulers.push_back(
        std::make_unique<simulation::SimulatedProcess>(simulator, mapping, number, band_file));
  }
  for (int rank = 0; rank < mapping.ranks(); ++rank)
    schedulers[static_cast<std::size_t>(mapping.slot(rank).process)]->add(
        fibers::RankFiber::make(mapping, band_file, rank, {&live, nullptr}));
  simulator.run([&](int number) { schedulers[static_cast<std::size_t>(number)]->live(); });
  return status_of(mapping, 0, mapping.ranks());
}

}  // namespace

int run_virtual(const Process& process, detail::Body body, void* callable) {
  const space::Mapping& mapping = process.mapping();
  const int first = process.first_rank(), hosted = Process::hosted();
  fibers::find_rank_malloc(mapping);
  together = {body, callable, nullptr};
  if (Process::simulated()) return simulate_processes(mapping, process.band_file());
  fibers::RankScheduler scheduler(
      mapping, mapping.slot(first).process.load(std::memory_order_relaxed), process.band_file());
  const bool same = compare_addresses(mapping);
  if (mapping.header().halt.restarts != 0) {
    require_same_process(mapping.header(), same);
    progress::set_joining_rank(-1);
    restore_ranks(mapping, first, hosted, scheduler);
  } else {
    progress::set_joining_rank(-1);
    for (int rank = first; rank < first + hosted; ++rank)
      scheduler.add(fibers::RankFiber::make(mapping, process.band_file(), rank, {&live, nullptr}));
  }
  scheduler.run();
  return status_of(mapping, first, hosted);
}

}  // namespace armature::hosting
