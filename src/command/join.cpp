#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "base/fail.hpp"
#include "command/asked_job.hpp"
#include "command/change_options.hpp"
#include "command/commands.hpp"
#include "command/numbers.hpp"
#include "command/run/node_request.hpp"
#include "space/layout.hpp"
#include "wait/processes.hpp"

// `armature join`: a further node for the virtual ranks of a running job.

namespace armature::command {
namespace {

constexpr const char* footer = R"(
JOB is the process id of its armature run --elastic, or of one of its processes (armature inspect shows them). Returns
when the job goes on with the node. That is when all ranks next call checkpoint, rebalance or migrate_together: they
are written there, and go on in new processes, as many of them in each. Nodes are pretended, as in armature run --nodes.

Example:
  armature join 4711 --processes 2)";

void require_to_take_nodes(const ObservedJob& job) {
  const space::ControlHeader& header = job.control().header();
  if (header.launcher.is_there == 0)
    base::fail(Errc::misuse,
               fmt::format("job {} takes in no nodes: another launcher than armature run has "
                           "started it",
                           job.pid()));
  if (header.ranks_are_virtual == 0 || header.simulation.on != 0)
    base::fail(Errc::misuse, fmt::format("job {} takes in no nodes: only virtual ranks can move "
                                         "(armature run --virtual)",
                                         job.pid()));
}

void join(ChangeOptions wanted) {
  constexpr std::uint64_t pid_max = 1 << 22;
  ObservedJob job = job_of(static_cast<int>(parse_count("JOB", wanted.job, 1, pid_max)));
  require_to_take_nodes(job);
  const space::ControlHeader& header = job.control().header();
  if (wanted.processes == 0)
    wanted.processes =
        std::max(wait::hosting_processes(header) / std::max(wait::hosting_nodes(header), 1u), 1u);
  const auto one_more = [processes = wanted.processes](std::uint32_t before, bool is_pending) {
    // Two nodes may join at once: neither is forgotten.
    const NodeRequest others = NodeRequest::of(before);
    const auto all = NodeRequest::with_node(others, is_pending, processes);
    if (!all)
      base::fail(Errc::misuse, fmt::format("the job is asked for {} already: no more can be "
                                           "asked for at once",
                                           others.text()));
    return std::optional(all->word());
  };
  AskedJob asked(std::move(job), one_more);
  asked.await(wanted.timeout_s);
  fmt::print("{} processes on {} nodes\n", wait::hosting_processes(asked.job()), asked.job().nodes);
}

}  // namespace

void add_join(CLI::App& app) {
  auto* command = app.add_subcommand("join", "A further node for a running job");
  command->footer(footer);
  auto wanted = std::make_shared<ChangeOptions>();
  add_change_options(*command, wanted, "Which is to take in the node",
                     "Processes of the node (default: as many as other nodes have)");
  command->callback([wanted] { join(*wanted); });
}

}  // namespace armature::command
