#include "world/wired_job.hpp"

#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "armature/error.hpp"
#include "base/fail.hpp"
#include "base/file_limit.hpp"
#include "base/runtime.hpp"
#include "base/variable.hpp"
#include "bootstrap/descriptor_socket.hpp"
#include "bootstrap/environment.hpp"
#include "bootstrap/start_again.hpp"
#include "checkpoint/load.hpp"
#include "space/layout.hpp"
#include "space/write_levels.hpp"
#include "topology/cgroup.hpp"
#include "topology/switches.hpp"
#include "world/restored_memory.hpp"

// Options of `armature run` are handed on by other launchers as environment variables.

namespace armature {
namespace {

using bootstrap::ProcessTable;
static_assert(bootstrap::ranks_max == space::ranks_max);

/// hydra tells the survivors of a death by SIGUSR1, which ends a program that does not know of it.
void outlive_news_of_deaths() {
  struct sigaction now {};
  if (sigaction(SIGUSR1, nullptr, &now) == 0 && (now.sa_flags & SA_SIGINFO) == 0 &&
      now.sa_handler == SIG_DFL)
    std::signal(SIGUSR1, SIG_IGN);
}

/// Counts for all processes of the node together: a launcher may have bound each to a core of its
/// own.
std::uint32_t cores_of_node(const ProcessTable& process_table) {
  std::set<int> processors;
  for (const int process : process_table.processes_of(process_table.self().node)) {
    const auto& allowed = process_table.members[static_cast<std::size_t>(process)].processors;
    processors.insert(allowed.begin(), allowed.end());
  }
  auto cores = static_cast<std::uint32_t>(std::max<std::size_t>(processors.size(), 1));
  if (const auto quota = topology::cgroup_limits().cpus)
    cores = std::min(cores, static_cast<std::uint32_t>(std::max(1.0, std::ceil(*quota))));
  return cores;
}

/// The switches of hosts, as all nodes read them in a file.
class Switches {
 public:
  Switches() {
    if (const char* const name = std::getenv(bootstrap::topology_variable)) file_ = name;
    if (!file_.empty()) of_hosts_ = topology::read_switches(file_);
  }

  [[nodiscard]] int of(const std::string& host) const {
    if (file_.empty()) return 0;
    auto found = of_hosts_.find(host);
    if (found == of_hosts_.end()) found = of_hosts_.find(host.substr(0, host.find('.')));
    if (found == of_hosts_.end())
      base::fail(Errc::start,
                 fmt::format("ARMATURE_TOPOLOGY: {0} does not say at which switch {1} is: "
                             "SwitchName=NAME Nodes={1}",
                             file_, host));
    return found->second;
  }

 private:
  std::string file_;
  std::map<std::string, int> of_hosts_;
};

/// Tells where ranks are, or the processes of virtual ones. Ranks that are threads are where their
/// process is.
void tell_levels(const space::Control& control, const ProcessTable& process_table) {
  const Switches switches;
  std::vector<space::Place> places;
  for (const bootstrap::Member& member : process_table.members)
    places.insert(places.end(),
                  static_cast<std::size_t>(process_table.are_virtual ? 1 : member.hosted),
                  {.network_switch = switches.of(member.host),
                   .node = member.node,
                   .socket = member.place.socket,
                   .numa = member.place.numa,
                   .cache = member.place.cache,
                   .core = member.place.core});
  space::write_levels(control, places);
}

space::JobMemory make_memory(const ProcessTable& process_table,
                             const std::optional<checkpoints::Found>& checkpoint) {
  space::JobOptions options;
  options.ranks = static_cast<std::uint32_t>(process_table.ranks);
  if (process_table.are_virtual)
    options.virtual_processes = static_cast<std::uint32_t>(process_table.members.size());
  else
    options.ranks_per_process = static_cast<std::uint32_t>(process_table.self().hosted);
  set_sizes(options, process_table.on_valgrind);
  options.cores = cores_of_node(process_table);
  options.check_full = base::number_variable("ARMATURE_CHECK").value_or(0) != 0;
  options.reproducible = base::number_variable("ARMATURE_REPRODUCIBLE").value_or(0) != 0;
  options.on_death = on_death_wanted();
  // A job on one node needs a launcher of our own to roll back.
  if (options.on_death == space::OnDeath::recover &&
      (!process_table.are_virtual || process_table.nodes == 1))
    options.on_death = space::OnDeath::end_job;
  options.launcher_pid = getpid();
  options.node = process_table.self().node;
  for (const bootstrap::Member& member : process_table.members) {
    options.node_of_rank.insert(options.node_of_rank.end(), static_cast<std::size_t>(member.hosted),
                                member.node);
    if (process_table.are_virtual)
      options.first_ranks.push_back(static_cast<std::uint32_t>(member.first_rank));
  }
  if (!checkpoint) return space::JobMemory::create(options);
  checkpoints::require_for_nodes(*checkpoint, process_table.nodes);
  return memory_to_fill(std::move(options), *checkpoint);
}

/// Called on the first process of a node.
void make_and_give(WiredJob& job, const bootstrap::DescriptorSocket& socket) {
  const ProcessTable& process_table = job.process_table;
  const int others =
      static_cast<int>(process_table.processes_of(process_table.self().node).size()) - 1;
  try {
    job.checkpoint = checkpoint_to_go_on_from();
    job.memory = make_memory(process_table, job.checkpoint);
    const space::Control control = space::map_control(job.memory.control.get());
    tell_levels(control, process_table);
    control.header().settings.balance =
        process_table.are_virtual && base::number_variable("ARMATURE_BALANCE").value_or(0) != 0 ? 1
                                                                                                : 0;
  } catch (const std::exception& problem) {
    socket.refuse(problem.what(), others, process_table.secret);
    throw;
  }
  std::vector<int> files = {job.memory.control.get()};
  for (const auto& segment : job.memory.segments) files.push_back(segment.get());
  socket.give(files, others, process_table.secret);
}

space::JobMemory take_memory(const ProcessTable& process_table) {
  const int first = process_table.processes_of(process_table.self().node).front();
  auto files = bootstrap::take_files(process_table.members[static_cast<std::size_t>(first)].socket,
                                     process_table.secret);
  space::ControlHeader header;
  if (files.empty() || !space::read_header(files.front().get(), header) ||
      header.version != space::control_version || files.size() != 1 + space::segment_files(header))
    base::fail(Errc::start,
               fmt::format("the node's first process did not give a control block and its memory "
                           "files, but {} files",
                           files.size()));
  space::JobMemory memory;
  memory.control = std::move(files.front());
  files.erase(files.begin());
  memory.segments = std::move(files);
  return memory;
}

/// Shares ranks out by what they have computed so far, where the job goes on from a checkpoint that
/// says so. One that cannot be read, or is of other ranks, is complained of later, by code that
/// needs more of it.
std::vector<std::uint32_t> rows_of_checkpoint(int processes) {
  try {
    const std::optional<checkpoints::Found> found = checkpoint_to_go_on_from();
    if (found &&
        found->manifest.ranks == static_cast<std::uint32_t>(bootstrap::virtual_ranks_wanted()))
      return checkpoints::first_ranks(*found, static_cast<std::uint32_t>(processes));
  } catch (const Error&) {  // as said
  }
  return {};
}

struct Rows {
  std::optional<std::vector<std::uint32_t>> of_checkpoint;
};

int first_virtual_rank_of(int process, int processes) {
  auto& known = base::state<Rows>().of_checkpoint;
  if (!known) known = rows_of_checkpoint(processes);
  const std::vector<std::uint32_t>& rows = *known;
  const auto ranks = static_cast<std::uint32_t>(bootstrap::virtual_ranks_wanted());
  const auto number = static_cast<std::size_t>(process);
  if (rows.empty())
    return static_cast<int>(space::first_rank_of(static_cast<std::uint32_t>(process),
                                                 static_cast<std::uint32_t>(processes), ranks));
  return static_cast<int>(number < rows.size() ? rows[number] : ranks);
}

std::optional<std::uint64_t> segment_size_wanted() {
  constexpr const char* old = "ARMATURE_BAND_SIZE";  // deprecated
  if (const auto bytes = base::number_variable("ARMATURE_SEGMENT_SIZE")) return bytes;
  const auto bytes = base::number_variable(old);
  if (bytes) std::fprintf(stderr, "armature: %s is deprecated: use ARMATURE_SEGMENT_SIZE\n", old);
  return bytes;
}

}  // namespace

void set_sizes(space::JobOptions& options, bool on_valgrind) {
  options.stack_bytes = base::number_variable("ARMATURE_STACK_SIZE").value_or(0);
  options.segment_base = base::number_variable("ARMATURE_BASE").value_or(0);
  options.segment_bytes =
      segment_size_wanted().value_or(on_valgrind ? space::segment_bytes_on_valgrind : 0);
}

space::OnDeath on_death_wanted() {
  const char* text = std::getenv("ARMATURE_ON_DEATH");
  const std::string_view said = text != nullptr ? text : "end";
  if (said == "end") return space::OnDeath::end_job;
  if (said == "continue") return space::OnDeath::go_on;
  if (said == "recover") return space::OnDeath::recover;
  base::fail(
      Errc::start,
      fmt::format("ARMATURE_ON_DEATH='{}' is neither 'end' nor 'continue' nor 'recover'", said));
}

std::uint64_t threads_wanted() {
  constexpr std::uint64_t hosted_max = 4096;
  const std::uint64_t hosted = base::number_variable("ARMATURE_THREADS").value_or(1);
  if (hosted < 1 || hosted > hosted_max)
    base::fail(Errc::start, fmt::format("ARMATURE_THREADS={} is not possible: 1 to {} ranks can be "
                                        "threads of a process",
                                        hosted, hosted_max));
  return hosted;
}

int ranks_of_wired_process(int process, int processes) {
  const std::uint64_t hosted = threads_wanted();
  const int all = bootstrap::virtual_ranks_wanted();
  if (all == 0) return static_cast<int>(hosted);
  if (hosted > 1)
    base::fail(Errc::start,
               "ARMATURE_VIRTUAL does not go with ARMATURE_THREADS: ranks are one or the other");
  if (all < processes)
    base::fail(Errc::start,
               fmt::format("ARMATURE_VIRTUAL={}: there are {} processes, each of which hosts one "
                           "virtual rank at least",
                           all, processes));
  return first_virtual_rank_of(process + 1, processes) - first_virtual_rank_of(process, processes);
}

int first_rank_of_wired_process(int process, int processes) {
  return bootstrap::virtual_ranks_wanted() != 0
             ? first_virtual_rank_of(process, processes)
             : process * ranks_of_wired_process(process, processes);
}

WiredJob wire_up(bootstrap::Exchange& exchange) {
  const bootstrap::DescriptorSocket socket;
  WiredJob job;
  const bootstrap::Hosting hosting{
      .ranks = ranks_of_wired_process(exchange.process(), exchange.processes()),
      .virtual_ranks = bootstrap::virtual_ranks_wanted()};
  job.process_table = bootstrap::make_process_table(exchange, hosting, socket.name());
  const ProcessTable& process_table = job.process_table;
  if (process_table.are_virtual && process_table.nodes > 1 &&
      process_table.ranks > static_cast<int>(space::virtual_ranks_on_nodes_max))
    base::fail(Errc::start, fmt::format("ARMATURE_VIRTUAL={}: on several nodes there may be {}",
                                        process_table.ranks, space::virtual_ranks_on_nodes_max));
  if (!process_table.are_virtual)
    base::raise_file_limit(
        std::uint64_t{2} * std::min<std::uint64_t>(static_cast<std::uint64_t>(process_table.ranks),
                                                   space::segment_files_max) +
            64,
        fmt::format("a job of {} ranks", process_table.ranks));
  if (on_death_wanted() != space::OnDeath::end_job) outlive_news_of_deaths();
  if (process_table.self().index == 0)
    make_and_give(job, socket);
  else
    job.memory = take_memory(process_table);
  return job;
}

}  // namespace armature
