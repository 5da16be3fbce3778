#include "world/virtual_ranks.hpp"

#include <dlfcn.h>
#include <pthread.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <ctime>
#include <iterator>
#include <memory>
#include <vector>

#include <fmt/format.h>

#include "armature/layer/program.hpp"
#include "armature/run.hpp"
#include "base/fail.hpp"
#include "base/message.hpp"
#include "base/runtime.hpp"
#include "bootstrap/join_once.hpp"
#include "bootstrap/start_again.hpp"
#include "elastic/process_quiesce.hpp"
#include "engines/sim/seeded_fault_model.hpp"
#include "failure/crash_report.hpp"
#include "failure/losses.hpp"
#include "fibers/private_globals.hpp"
#include "fibers/rank_malloc.hpp"
#include "fibers/rank_scheduler.hpp"
#include "image/copies.hpp"
#include "migration/addresses.hpp"
#include "migration/builds.hpp"
#include "net/network.hpp"
#include "rmi/code_registry.hpp"
#include "simulation/simulated_process.hpp"
#include "simulation/simulator.hpp"
#include "wait/rank_context.hpp"
#include "world/call_body.hpp"
#include "world/hand_over_ranks.hpp"
#include "world/job.hpp"
#include "world/periodic_tasks.hpp"
#include "world/requests.hpp"
#include "world/simulated_turns.hpp"

namespace armature::hosting {
namespace {

/// Shared by the ranks of the run. A rank that has moved finds that of its process.
struct Hosted {
  Program program{};
  transport::FaultModel* fault_model = nullptr;  // of a simulation
};
Hosted& together() { return base::state<Hosted>(); }

/// A virtual rank from its first to its last instruction.
void live(int rank, void* /*argument*/) {
  fibers::RankFiber& me = fibers::RankFiber::of(*space::Mapping::of_process(), rank);
  Job job(me.space(), &fibers::RankScheduler::here(), together().fault_model);
  if (me.heap != nullptr) job.context().ties = &me.heap->ties;
  me.program.begin(together().program.argc, together().program.argv);
  const int status =
      call_body(layer::own(together().program.body), together().program.callable, job.world());
  me.program.end();
  if (rank == 0) say_what_was_never_asked_for(job.context().space.header());
  job.leave();
  me.status = status;
}

/// The program could do nothing about it: its stack would say nothing of that.
[[noreturn]] void refuse(const std::string& why) { failure::give_up(1, why.c_str()); }

/// Requires that this process can go on where those that wrote the checkpoint stopped.
void require_same_process(const space::ControlHeader& job, bool same_addresses) {
  const auto builds = migration::Builds::of_process();
  const auto compare = [](const migration::BuildId& here, const std::uint8_t(&there)[20],
                          const char* what) {
    migration::BuildId written;
    std::copy(std::begin(there), std::end(there), written.begin());
    if (written != here)
      refuse(
          fmt::format("{} is another build than the one that the ranks have run in so far: it "
                      "has build id {} here and had {}",
                      what, migration::text(here), migration::text(written)));
  };
  compare(builds.program, job.quiesce.build[0], "the program");
  compare(builds.library, job.quiesce.build[1], "libarmature");
  if (!same_addresses)
    refuse(
        "a library is another build than the one that the ranks have run in so far, or "
        "is loaded from elsewhere; or code and data lie at other addresses, since the "
        "kernel does not let them be fixed here (armature doctor); or the ranks have had globals "
        "of their own (--private-globals) and have none here, have none there and have them here, "
        "or have them for another kind of processor");
}

/// Ranks go on where they waited. Nobody looks at their accesses, as the job may be another one
/// now: of more nodes, or without checks.
void restore_ranks(const space::Mapping& mapping, int first, int hosted,
                   fibers::RankScheduler& scheduler) {
  rmi::find_modules();
  for (int rank = first; rank < first + hosted; ++rank) {
    auto& fiber = fibers::RankFiber::of(mapping, rank);
    fiber.looked_at_in = nullptr;
    scheduler.restore(fiber);
  }
}

struct StreamBuffers {
  char output[BUFSIZ] = {}, input[BUFSIZ] = {};
};

/// Allocates what the process would else allocate while a rank runs, from memory that may roll back
/// to what it was, or to another node.
void fill_statics() {
  rmi::find_modules();
  tzset();  // for gmtime, which looks at the time zone when it is called first
  auto& [output, input] = base::state<StreamBuffers>();
  std::setvbuf(stdout, output, isatty(STDOUT_FILENO) != 0 ? _IOLBF : _IOFBF, sizeof output);
  if (stdin->_IO_buf_base == nullptr) std::setvbuf(stdin, input, _IOFBF, sizeof input);
}

std::uint64_t sum_of_addresses(const space::ControlHeader& job) {
  const void* const places[] = {&base::detail::runtimes,
                                reinterpret_cast<const void*>(together().program.body),
                                together().program.callable};
  return migration::sum_of_addresses(job, places);
}

/// Whether a rank may go from any process of the job to this one.
bool has_same_layout(const Process& process) {
  space::ControlHeader& job = process.mapping().header();
  const std::uint64_t sum = sum_of_addresses(job);
  const bool on_node = migration::compare_addresses(job, sum);
  return process.all_have(sum ^ migration::number_of(migration::Builds::of_process())) && on_node;
}

/// The status of the first that has one other than 0.
int status_of(const space::Mapping& mapping, int first, int hosted) {
  for (int rank = first; rank < first + hosted; ++rank) {
    if (!mapping.is_here(rank)) continue;
    if (const int status = fibers::RankFiber::of(mapping, rank).status; status != 0) return status;
  }
  return 0;
}

/// A process that has begun with a rank may be gone since: then everybody tells for all. But one
/// that the job does not have sees ranks where they were when it came, or left.
int status_at_end(const Process& process) {
  const space::ControlHeader& job = process.mapping().header();
  const space::ProcessSlot& self = process.mapping().process_slot(process.number());
  if (!job.all_have_finished() || self.has_left() || self.is_to_come()) return 0;
  return job.quiesce.epoch.entered == 0 && job.nodes == 1
             ? status_of(process.mapping(), process.first_rank(), Process::hosted())
             : status_of(process.mapping(), 0, process.mapping().ranks());
}

/// Nothing else would be said before a rank is to move, or to be written.
void say_who_allocates() {
  failure::say_line(
      fmt::format("virtual ranks stay in their processes, and are not written to disk: {}",
                  fibers::why_malloc_knows_no_ranks()));
}

/// Those that come later are compared with it.
bool is_first_of_node(const Process& process) {
  int first = 0;
  while (process.mapping().process_slot(first).node != process.mapping().header().node) ++first;
  return first == process.number();
}

/// Joins as one of those that began the job, that restart it, or that come to it later.
void join(const Process& process) {
  space::ControlHeader& job = process.mapping().header();
  const bool same = has_same_layout(process);
  const bool comes_later = Process::hosted() == 0;
  if (comes_later || job.quiesce.restarts != 0) require_same_process(job, same);
  if (job.quiesce.restarts == 0 && is_first_of_node(process)) {
    const auto builds = migration::Builds::of_process();
    std::copy(builds.program.begin(), builds.program.end(), job.quiesce.build[0]);
    std::copy(builds.library.begin(), builds.library.end(), job.quiesce.build[1]);
  }
  if (process.number() == 0 && fibers::malloc_is_the_programs()) say_who_allocates();
  if (!same && process.number() == 0 && bootstrap::has_come_late())
    failure::say_line(
        "the program has loaded libarmature itself (dlopen), too late to be started again: virtual "
        "ranks stay in their processes. Link it with libarmature, or start it with libarmature.so "
        "and its folder in LD_PRELOAD");
  if (job.quiesce.restarts != 0) process.restore_memory();
  migration::join_job(job, same);
  if (process.mapping().process_slot(process.number()).joined.exchange(1) != 0)
    bootstrap::refuse_to_join_twice("process", process.number());
  wait::set_joining_rank(-1);
}

/// All processes of the job are in this one.
int simulate_processes(const space::Mapping& mapping, int segment_file) {
  const auto processes = static_cast<int>(mapping.header().processes);
  simulation::Simulator simulator(mapping, processes, failure::die);
  transport::sim::SeededFaultModel fault_model(mapping.ranks(), simulator.random(),
                                               simulator.clock());
  fault_model.name_those_due();
  simulator.set_fault_model(fault_model);
  simulator.let_some_compute();
  together().fault_model = &fault_model;
  wait::set_joining_rank(-1);
  const simulation::Others others{[&](bool made_progress) { simulator.yield(made_progress); },
                                  [&]() -> base::Random& { return simulator.random(); }};
  std::vector<std::unique_ptr<elastic::ProcessQuiesce>> bodies;
  std::vector<std::unique_ptr<simulation::SimulatedProcess>> schedulers;
  for (int number = 0; number < processes; ++number) {
    space::ControlHeader& job = mapping.header();
    migration::join_job(job, migration::compare_addresses(job, sum_of_addresses(job)));
    bodies.push_back(std::make_unique<elastic::ProcessQuiesce>(mapping, number, segment_file));
    schedulers.push_back(std::make_unique<simulation::SimulatedProcess>(
        others, mapping, number, segment_file, *bodies.back()));
  }
  for (int rank = 0; rank < mapping.ranks(); ++rank)
    schedulers[static_cast<std::size_t>(mapping.slot(rank).process)]->add(
        fibers::make_rank(mapping, segment_file, rank, {&live, nullptr}));
  simulator.run([&](int number) { schedulers[static_cast<std::size_t>(number)]->run(); });
  return status_of(mapping, 0, mapping.ranks());
}

/// The ranks of this process, in one of its own.
int run_here(const Process& process, fibers::RankScheduler& scheduler) {
  const space::Mapping& mapping = process.mapping();
  const int first = process.first_rank(), hosted = Process::hosted();
  join(process);
  if (!Process::simulated() && (Process::is_launched() || mapping.header().nodes > 1))
    hand_over_before_ending(mapping, process.number());
  if (!Process::is_launched()) take_requests_by_signal(mapping, process.number());
  if (mapping.header().quiesce.restarts != 0)
    restore_ranks(mapping, first, hosted, scheduler);
  else
    for (int rank = first; rank < first + hosted; ++rank)
      scheduler.add(fibers::make_rank(mapping, process.segment_file(), rank, {&live, nullptr}));
  net::Network::Spaces spaces;
  for (int rank = first; rank < first + hosted; ++rank)
    spaces.push_back(&fibers::RankFiber::of(mapping, rank).space());
  process.join_network(std::move(spaces));
  // Release: who sees it finds how this process is reached.
  mapping.process_slot(process.number()).can_come.store(1, std::memory_order_release);
  process.tell_connected();
  process.tell_joined();
  scheduler.run();
  stop_handing_over();
  confirm_requests(mapping);
  return status_at_end(process);
}

/// Refuses forks that libarmature-malloc.so has not refused (interpose/fork.cpp): where malloc
/// knows no ranks, and where the C library forks by itself. It would not take an exception here.
void refuse_forks() {
  pthread_atfork(
      [] {
        if (const wait::RankContext* me = wait::current_rank();
            me != nullptr && me->scheduler != nullptr && wait::runs_rank())
          abort(1,
                "fork in a virtual rank, whose stack the child would share: posix_spawn, system "
                "and popen start other programs");
      },
      nullptr, nullptr);
}

/// Globals point to what a rank has allocated, so both lie in its segment or neither.
void require_private_globals() {
#ifndef DLFO_STRUCT_HAS_EH_DBASE
  base::fail(
      Errc::start,
      "--private-globals: Armature was built with a C library that is older than 2.35, where "
      "exceptions do not pass the functions of a copy");
#endif
  if (!fibers::malloc_knows_ranks())
    base::fail(Errc::start, "--private-globals: what a rank allocates does not go with it: " +
                                fibers::why_malloc_knows_no_ranks());
  rmi::name_code_of_copies();
}

/// Before there are ranks.
void prepare_memory(const space::Mapping& mapping) {
  try {
    fibers::make_globals_private(mapping);
    fibers::find_rank_malloc(mapping);
    if (image::copies() != nullptr) require_private_globals();
  } catch (const Error& error) {
    refuse(std::string(base::without_start(error.what())));
  }
}

}  // namespace

int run_virtual(const Process& process, const Program& program) {
  const space::Mapping& mapping = process.mapping();
  refuse_forks();
  require_intervals();
  prepare_memory(mapping);
  together() = {program, nullptr};
  if (mapping.header().settings.keeps_copies != 0 || mapping.header().nodes > 1) fill_statics();
  if (Process::simulated()) do_not_hand_over();
  if (mapping.header().is_one_process()) {
    process.tell_connected();
    return simulate_processes(mapping, process.segment_file());
  }
  elastic::ProcessQuiesce body_of_quiesce(mapping, process.number(), process.segment_file());
  if (Process::simulated()) {
    simulation::SimulatedProcess scheduler(others_in_turn(), mapping, process.number(),
                                           process.segment_file(), body_of_quiesce);
    const int status = run_here(process, scheduler);
    if (mapping.header().nodes == 1) leave_turns();
    return status;
  }
  fibers::RankScheduler scheduler(mapping, process.number(), process.segment_file(),
                                  body_of_quiesce);
  return run_here(process, scheduler);
}

}  // namespace armature::hosting
