#include "command/run/launch.hpp"

#include <fcntl.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <string_view>

#include <fmt/format.h>

#include "base/bytes.hpp"
#include "base/fail.hpp"
#include "base/file_limit.hpp"
#include "bootstrap/address_layout.hpp"
#include "bootstrap/door_program.hpp"
#include "bootstrap/environment.hpp"
#include "bootstrap/key_value_store.hpp"
#include "bootstrap/private_globals.hpp"
#include "command/executable/globals.hpp"
#include "command/executable/sanitizer.hpp"
#include "command/explain/observe.hpp"
#include "command/explain/phrase.hpp"
#include "command/run/binding.hpp"
#include "command/run/console.hpp"
#include "command/run/cores.hpp"
#include "command/run/filling.hpp"
#include "command/run/host_file.hpp"
#include "command/run/intervals.hpp"
#include "command/run/job_files.hpp"
#include "command/run/levels.hpp"
#include "command/run/links.hpp"
#include "command/run/placing.hpp"
#include "command/run/program.hpp"
#include "command/run/running_job.hpp"
#include "command/run/spawn.hpp"
#include "command/run/taken_cores.hpp"
#include "command/run/trace.hpp"
#include "rmi/settings.hpp"
#include "space/job_memory.hpp"
#include "space/layout.hpp"
#include "topology/cores.hpp"
#include "transport/network_costs.hpp"

namespace armature::command {
namespace {

/// Opens descriptors 0 to 2, so that none of the job's files becomes somebody's stdin or stdout.
void open_standard_descriptors() {
  int fd = 0;
  do {
    fd = open("/dev/null", O_RDWR);
  } while (fd >= 0 && fd <= STDERR_FILENO);
  close(fd);
}

/// Threads that run a rank's concurrent methods want cores of their own: on its one they would take
/// turns.
bool has_threads_for_methods() { return rmi::method_threads_at_start() > 0; }

Binding bind_ranks(const LaunchOptions& options, std::uint32_t ranks, Machine& machine,
                   TakenCores& taken) {
  const bool needless =
      options.bind == Bind::automatic &&
      (ranks == 1 || ranks > topology::allowed_processors().size() || has_threads_for_methods());
  if (options.bind == Bind::none || needless) return {};
  return choose_binding(taken.take(machine.cores(), ranks), ranks, options.bind);
}

/// Processes that act one at a time go on sooner on the core of the one before.
Binding bind_together(std::uint32_t processes, Machine& machine, TakenCores& taken) {
  const std::vector<Core> cores = taken.take(machine.cores(), 1);
  return Binding(cores.empty() ? 0 : processes, cores.empty() ? std::vector<int>() : cores.front());
}

/// Virtual ranks run where their process does.
Binding bind_processes(const LaunchOptions& options, const space::Control& control,
                       Machine& machine, TakenCores& taken) {
  const std::uint32_t processes = control.header().processes;
  const Binding places = control.header().acts_in_turn()
                             ? bind_together(processes, machine, taken)
                             : bind_ranks(options, processes, machine, taken);
  Binding binding;
  if (places.empty()) return binding;
  for (int rank = 0; rank < static_cast<int>(control.header().ranks); ++rank)
    binding.push_back(places[static_cast<std::size_t>(control.slot(rank).process)]);
  return binding;
}

/// Options of those that are simulated by processes that act in turn.
std::string options_in_turn(const LaunchOptions& options) {
  std::string text;
  if (options.nodes > 1) text += fmt::format(" --nodes {}", options.nodes);
  if (options.on_death == space::OnDeath::recover) text += " --on-death recover";
  if (options.simulated_deaths != 0)
    text += fmt::format(" --simulate-deaths {}", options.simulated_deaths);
  if (options.simulated_leaves != 0)
    text += fmt::format(" --simulate-leaves {}", options.simulated_leaves);
  if (options.simulated_joins != 0)
    text += fmt::format(" --simulate-joins {}", options.simulated_joins);
  return text;
}

void describe(const LaunchOptions& options, const space::ControlHeader& header,
              const Binding& binding) {
  const std::string nodes =
      header.nodes > 1 ? fmt::format(", pretending {} nodes", header.nodes) : std::string();
  say(fmt::format("{} ranks of {}{}{} on {} cores, {}; a segment of {} each from {:#x} on",
                  header.ranks, options.command.front(), in_processes(header), nodes,
                  header.settings.cores, binding.empty() ? "not bound" : "bound",
                  base::readable_bytes(header.layout.segment_bytes), header.layout.segment_base));
}

/// A restarted job has what its checkpoint says. --check looks after the program itself alone.
void choose_globals(const LaunchOptions& options, const std::string& program) {
  if (options.virtual_ranks && !options.restore && !options.check_full)
    bootstrap::make_globals_private_by_default(program);
}

/// Tells it once, where ranks share a process.
void tell_of_globals(const LaunchOptions& options, const space::ControlHeader& header,
                     const std::string& program) {
  const bool are_private = bootstrap::PrivateGlobals::of_environment().are_on;
  if (!options.virtual_ranks || are_private || !options.globals_note || options.restore ||
      header.ranks <= header.processes)
    return;
  constexpr std::size_t named_max = 8;
  const std::vector<std::string> globals = writable_globals(program);
  const std::string note = note_about_globals(options.command.front(), globals,
                                              options.verbose ? globals.size() : named_max);
  if (!note.empty()) say(note);
}

/// Tells ranks that are threads: each binds itself to its part of what its process may use.
void tell_ranks_where(const Binding& binding, const space::Control& control) {
  for (std::size_t rank = 0; rank < binding.size(); ++rank) {
    space::Processors& processors = control.slot(static_cast<int>(rank)).bound_to;
    for (const int thread : binding[rank]) {
      const auto number = static_cast<std::size_t>(thread);
      if (number < space::Processors::count_max)
        processors.bits[number / 64] |= std::uint64_t{1} << (number % 64);
    }
  }
}

/// The number of processes of the whole job.
std::optional<std::uint32_t> virtual_processes(const LaunchOptions& options, std::uint32_t ranks,
                                               std::uint32_t cores) {
  if (!options.virtual_ranks) return std::nullopt;
  // The default is as many on every machine, where it is a seed that decides; else as many on each
  // node as fit.
  const std::uint32_t otherwise = options.simulation_seed
                                      ? std::max(2u, options.nodes)
                                      : std::max(cores / options.nodes, 1u) * options.nodes;
  return std::min(options.processes != 0 ? options.processes : otherwise, ranks);
}

/// The first rank of each process.
std::vector<std::uint32_t> first_of_processes(const LaunchOptions& options, std::uint32_t ranks,
                                              std::optional<std::uint32_t> virtual_processes) {
  std::vector<std::uint32_t> first;
  if (options.restore && virtual_processes)
    first = options.restore->first_ranks(*virtual_processes);
  if (!first.empty()) return first;
  const std::uint32_t processes =
      virtual_processes.value_or((ranks + options.threads - 1) / options.threads);
  for (std::uint32_t process = 0; process < processes; ++process)
    first.push_back(virtual_processes ? space::first_rank_of(process, processes, ranks)
                                      : process * options.threads);
  return first;
}

/// The first process of each of the nodes that we pretend; a process is on one of them. Empty for
/// one node.
std::vector<std::uint32_t> first_of_nodes(const LaunchOptions& options,
                                          const std::vector<std::uint32_t>& of_processes) {
  if (options.nodes <= 1) return {};
  const std::size_t processes = of_processes.size();
  if (options.nodes > processes)
    base::fail(Errc::start,
               fmt::format("--nodes {}: there are only {} processes", options.nodes, processes));
  std::vector<std::uint32_t> first;
  for (std::uint32_t node = 0; node < options.nodes; ++node)
    first.push_back(of_processes[processes * node / options.nodes]);
  return first;
}

/// 0: the default.
std::uint64_t segment_bytes(const LaunchOptions& options) {
  const bool is_said = options.segment_bytes != 0;
  return !is_said && runs_valgrind(options.command) ? space::segment_bytes_on_valgrind
                                                    : options.segment_bytes;
}

/// Whether every call is checked and told of. In the simulator that is so by default for OpenSHMEM.
bool looks_for_races(const LaunchOptions& options) {
  using enum LaunchOptions::Races;
  const bool may_be = options.check_full || options.races == yes ||
                      (options.simulation_seed && options.has_symmetric_variables);
  return may_be && options.races != no && options.nodes == 1;
}

void tell_of_races(const LaunchOptions& options) {
  const bool is_said = options.races == LaunchOptions::Races::yes;
  setenv("ARMATURE_RACES", !looks_for_races(options) ? "0" : is_said ? "2" : "1", 1);
}

std::vector<space::JobMemory> make_memory(const LaunchOptions& options, std::uint32_t ranks,
                                          std::uint32_t cores) {
  const std::optional<std::uint32_t> processes = virtual_processes(options, ranks, cores);
  const std::vector<std::uint32_t> of_processes = first_of_processes(options, ranks, processes);
  const std::vector<std::uint32_t> of_nodes = first_of_nodes(options, of_processes);
  space::JobOptions job{.ranks = ranks,
                        .ranks_per_process = options.simulation_seed ? ranks : options.threads,
                        .virtual_processes = processes,
                        .first_ranks = processes ? of_processes : std::vector<std::uint32_t>(),
                        .stack_bytes = options.stack_bytes,
                        .slots_have_pages = options.restore && options.restore->slots_have_pages,
                        .segment_base = options.segment_base,
                        .segment_bytes = segment_bytes(options),
                        .cores = cores,
                        // Inlined transfers would take no time, and nobody would count them.
                        .check_full = options.check_full || looks_for_races(options) ||
                                      !options.network.empty() || !options.record_links.empty(),
                        .reproducible = options.reproducible,
                        .on_death = options.on_death,
                        .simulated_deaths = options.simulated_deaths,
                        .simulated_leaves = options.simulated_leaves,
                        .simulated_joins = options.simulated_joins,
                        .simulation_seed = options.simulation_seed,
                        .nodes = of_nodes,
                        .node_of_rank = place_ranks(options, ranks, of_processes, of_nodes)};
  std::vector<space::JobMemory> memory;
  for (std::uint32_t node = 0; node < std::max<std::uint32_t>(options.nodes, 1); ++node) {
    job.node = static_cast<std::int32_t>(node);
    memory.push_back(space::JobMemory::create(job));
    line_up(memory.back().segments);
  }
  return memory;
}

/// With those that come to a simulation later. Throws Error(start).
std::uint32_t processes_in_all(const LaunchOptions& options, std::uint32_t ranks,
                               std::optional<std::uint32_t> of_virtual_ranks) {
  const std::uint32_t all =
      of_virtual_ranks.value_or(options.simulation_seed ? 1 : ranks) + options.simulated_joins;
  if (options.simulated_joins != 0 && all > ranks)
    base::fail(Errc::start,
               fmt::format("--simulate-joins {}: {} ranks are too few for {} processes",
                           options.simulated_joins, ranks, all));
  return all;
}

/// Raises the soft limit of open files to what the job needs. Throws Error(start) when it may not.
void raise_file_limit(const JobFiles& job) {
  const std::string on = job.nodes > 1 ? fmt::format(" on {} nodes", job.nodes) : std::string();
  base::raise_file_limit(job.count(), fmt::format("a job of {} ranks{}", job.ranks, on));
}

/// The key-value store of processes that do not only share memory, for what they need to begin.
base::FileDescriptor store_of(const space::ControlHeader& job) {
  if (job.nodes == 1 && !job.acts_in_turn()) return {};
  return bootstrap::KeyValueStore::create(
      static_cast<int>(job.processes),
      static_cast<int>(job.processes + space::Control::coming_max));
}

/// The block that the launcher looks at: the first node's block, in which each rank's slot is that
/// of the rank's own node.
space::Control slots_of_all(const std::vector<space::JobMemory>& memory) {
  const space::Control control = space::map_control(memory.front().control.get());
  for (std::size_t node = 1; node < memory.size(); ++node)
    if (!show_slots_of(control, memory[node].control.get(), true))
      base::fail(Errc::start,
                 fmt::format("the control block cannot be mapped: {}", base::system_text(errno)));
  return control;
}

/// Processes of the program are to host virtual ranks.
void fix_layout_for_ranks(const LaunchOptions& options, const std::string& program) {
  refuse_address_sanitizer(program);
  bootstrap::fix_address_layout(options.secrets());
}

void tell_costs(const LaunchOptions& options) {
  if (options.network.empty())
    unsetenv(transport::network_costs_variable);
  else
    setenv(transport::network_costs_variable, options.network.c_str(), 1);
}

/// False when one cannot be written; the other one is.
bool write_files(const Trace& trace, const RecordedLinks& links, const space::ControlHeader& job) {
  const bool is_traced = trace.write(job);
  return links.write() && is_traced;
}

/// The requests of the job before. The pending one is answered once all processes have joined.
/// Nobody asks for anything before processes have been started, see asked_job.cpp.
void take_requests(const LaunchOptions& options, space::Resize& resize) {
  const bool is_pending = static_cast<std::uint32_t>(options.resize_wanted) != 0;
  const auto last = static_cast<std::uint32_t>(options.resize_wanted >> 32);
  resize.answered.store(is_pending ? 0 : last, std::memory_order_relaxed);
  resize.wanted.store(options.resize_wanted, std::memory_order_release);
}

/// A simulation has failed.
void say_how_to_repeat(const LaunchOptions& options, std::uint32_t ranks,
                       std::optional<std::uint32_t> processes) {
  say(fmt::format(
      "the simulation with seed {0} failed; armature run --simulate {0} -n {1}{2} "
      "repeats it",
      *options.simulation_seed, ranks,
      processes ? fmt::format(" --virtual --processes {}{}{}", *processes, options_in_turn(options),
                              options.balance ? " --balance" : "")
                : ""));
}

}  // namespace

Outcome launch(const LaunchOptions& options) {
  const Program program = find_program(options.command.front());
  if (!program) {
    say_headline(program.problem);
    return {.status = program.status};
  }
  open_standard_descriptors();
  const auto cores = static_cast<std::uint32_t>(topology::usable_cores());
  const std::uint32_t ranks = options.ranks != 0 ? options.ranks : cores;
  const std::optional<std::uint32_t> processes = virtual_processes(options, ranks, cores);
  raise_file_limit({.ranks = ranks,
                    .processes = processes_in_all(options, ranks, processes),
                    .nodes = options.nodes,
                    .are_virtual = processes.has_value(),
                    .label = options.label});
  const std::vector<space::JobMemory> memory = make_memory(options, ranks, cores);
  const space::Control control = slots_of_all(memory);
  take_requests(options, control.header().resize);
  std::optional<Filling> filling;
  if (options.restore) filling.emplace(*options.restore, memory);
  for (const auto& node : memory) {
    space::ControlHeader& header = space::map_control(node.control.get()).header();
    header.launcher.is_there = 1;
    header.launcher.pid = getpid();
    header.settings.balance = options.balance ? 1 : 0;
    header.settings.measures = options.rebalance_every_s > 0 ? 1 : 0;
    header.resize.started = options.started;
    header.quiesce.incremental.is_setting = options.checkpoint_incremental ? 1 : 0;
  }
  const base::FileDescriptor store = store_of(control.header());
  tell_intervals(options);
  tell_of_races(options);
  prctl(PR_SET_CHILD_SUBREAPER, 1);
  TakenCores taken;
  Machine machine;
  Binding binding = !machine.is_this_one()  ? Binding()
                    : options.virtual_ranks ? bind_processes(options, control, machine, taken)
                                            : bind_ranks(options, ranks, machine, taken);
  tell_ranks_where(binding, control);
  tell_levels(memory, machine, binding, network_of(options));
  if (options.verbose) describe(options, control.header(), binding);
  choose_globals(options, program.path);
  tell_of_globals(options, control.header(), program.path);
  // A seed must always find the same addresses: some programs order things by them.
  if (options.simulation_seed) personality(ADDR_NO_RANDOMIZE);
  tell_costs(options);
  const Trace trace(options.trace, control.header());
  const RecordedLinks links(options.record_links, ranks);
  if (options.virtual_ranks) fix_layout_for_ranks(options, program.path);
  RunningJob job(options, {memory, control, store.get(), filling ? &*filling : nullptr,
                           program.path, std::move(binding),
                           options.host_file ? options.host_file->networks() : std::vector<int>()});
  Outcome outcome = job.run();
  if (filling) filling->finish();
  if (!write_files(trace, links, control.header()) && outcome.status == 0) outcome.status = 1;
  if (outcome.status != 0) trace.write_after_crash(control);
  if (options.simulation_seed && outcome.status != 0) say_how_to_repeat(options, ranks, processes);
  return outcome;
}

}  // namespace armature::command
