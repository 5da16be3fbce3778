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
#include "space/layout.hpp"
#include "wait/processes.hpp"

// `armature resize`: more processes for the virtual ranks of a running job, or fewer.

namespace armature::command {
namespace {

constexpr const char* footer = R"(
JOB is the process id of its armature run, or of one of its processes (armature inspect shows them). Returns when the
job has that many. A process leaves by itself, too, when it is asked to end (kill PID): its ranks go to the others.
On several nodes that is done when all ranks next call checkpoint, rebalance or migrate_together. Where a node would
keep no process, ranks are written to disk there and go on in new processes.

Example:
  armature resize 4711 --processes 3)";

void resize(const ChangeOptions& wanted) {
  constexpr std::uint64_t pid_max = 1 << 22;
  const auto pid = static_cast<int>(parse_count("JOB", wanted.job, 1, pid_max));
  ObservedJob job = job_of(pid);
  const space::ControlHeader& header = job.control().header();
  if (header.launcher.is_there == 0 && (header.nodes == 1 || command_of(job) == 0))
    base::fail(Errc::misuse, wait::cannot_resize);
  if (header.ranks_are_virtual == 0 || header.simulation.on != 0)
    base::fail(Errc::misuse,
               fmt::format("job {} cannot be resized: only virtual ranks can move (armature run "
                           "--virtual)",
                           job.pid()));
  AskedJob asked(std::move(job),
                 [&](std::uint32_t, bool) { return std::optional(wanted.processes); });
  asked.await(wanted.timeout_s);
  // A process that has ended hosts no more.
  const std::uint32_t processes =
      asked.is_there() ? wait::hosting_processes(asked.job()) : wanted.processes;
  if (processes != wanted.processes)
    base::fail(Errc::misuse,
               fmt::format("the job has {} processes, not {}: somebody else has asked for another "
                           "number since, or some have left it",
                           processes, wanted.processes));
  fmt::print("{} processes\n", processes);
}

}  // namespace

void add_resize(CLI::App& app) {
  auto* command = app.add_subcommand("resize", "More or fewer processes for a running job");
  command->footer(footer);
  auto wanted = std::make_shared<ChangeOptions>();
  add_change_options(*command, wanted, "Whose ranks are to be spread anew",
                     "Processes that are to host its ranks")
      ->required();
  command->callback([wanted] { resize(*wanted); });
}

}  // namespace armature::command
