#include <algorithm>
#include <memory>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/clock.hpp"
#include "command/commands.hpp"
#include "command/executable/call_places.hpp"
#include "command/explain/explain.hpp"
#include "command/explain/phrase.hpp"
#include "command/inspect/jobs.hpp"
#include "command/json.hpp"
#include "command/numbers.hpp"
#include "wait/processes.hpp"

namespace armature::command {
namespace {

constexpr const char* footer = R"(
Examples:
  armature inspect              all jobs of this user on this machine
  armature inspect 4242         the job whose launcher, or one of whose ranks, is process 4242
  armature inspect 4242 --json  the same for a program

Nothing is asked of the ranks: their state is read from the job's shared memory. A rank that is not
waiting in a call of Armature runs, or is asleep in a call of its own. Of one job, the line in which
each of its first 64 ranks is stands below ("at halo.cpp:42", of programs with debug information): its
thread is stopped for the moment in which its stack is read. Where a rank waits for more than 100
others, --json has the first, and "waits_on_more".)";

/// Many thousand ranks may each wait for as many.
constexpr std::size_t waits_on_max = 100;

double age_s(const ObservedJob& job) {
  return static_cast<double>(base::now_ns() - job.control().header().started_ns) * 1e-9;
}

void print(const ObservedJob& job, const Explanation& explanation) {
  const space::ControlHeader& header = job.control().header();
  fmt::print("job {}: {} ranks of {}{}, started {} ago\n{}", job.pid(), header.ranks, job.program(),
             in_processes(header), duration(age_s(job)), text(explanation));
}

nlohmann::json as_json(const ObservedJob& job, const Snapshot& snapshot,
                       const Explanation& explanation) {
  nlohmann::json ranks = nlohmann::json::array();
  for (const auto& line : explanation.lines) {
    std::vector<int> waits_on = command::waits_on(snapshot, line.rank, waits_on_max + 1);
    const bool are_more = waits_on.size() > waits_on_max;
    if (are_more) waits_on.pop_back();
    nlohmann::json rank = {{"rank", line.rank},
                           {"pid", line.pid},
                           {"process", line.process},
                           {"state", line.verb},
                           {"detail", line.object},
                           {"waits_on", waits_on},
                           {"messages_not_taken_of", line.pending.messages},
                           {"notifies_not_taken_of", line.pending.notifies}};
    if (line.thread > 0) rank["thread"] = line.thread;
    if (!line.place.empty()) rank["at"] = line.place;
    if (are_more) rank["waits_on_more"] = true;
    if (line.seconds >= 0) rank["seconds"] = line.seconds;
    ranks.push_back(std::move(rank));
  }
  return {{"job", job.pid()},
          {"program", job.program()},
          {"age_s", age_s(job)},
          {"processes", wait::hosting_processes(job.control().header())},
          {"processes_started", job.control().header().resize.started.load()},
          {"ranks", std::move(ranks)},
          {"findings", explanation.findings},
          {"hopeless", explanation.hopeless}};
}

void inspect(int pid, bool json, bool where) {
  nlohmann::json all = nlohmann::json::array();
  int shown = 0;
  for (const ObservedJob& job : running_jobs()) {
    if (pid != 0 && !job.has_process(pid)) continue;
    const Snapshot snapshot = job.observe();
    Explanation explanation = explain(snapshot);
    // To look at all jobs is to disturb none.
    if (where || (pid != 0 && !json)) add_call_places(explanation, snapshot);
    if (json) {
      all.push_back(as_json(job, snapshot, explanation));
    } else {
      print(job, explanation);
    }
    ++shown;
  }
  if (json) fmt::print("{}\n", text_of(all));
  if (pid != 0 && shown == 0) {
    fmt::print(stderr,
               "armature inspect: process {} is neither the launcher nor a rank of a job that this "
               "user may "
               "look at. `armature inspect` lists the jobs.\n",
               pid);
    throw CLI::RuntimeError(1);
  }
  if (!json && shown == 0) fmt::print("no job is running\n");
}

}  // namespace

void add_inspect(CLI::App& app) {
  auto* command = app.add_subcommand("inspect", "What the ranks of running jobs are doing");
  command->footer(footer);
  struct Arguments {
    std::string pid;
    bool json = false;
    bool where = false;
  };
  auto arguments = std::make_shared<Arguments>();
  command
      ->add_option("JOB", arguments->pid,
                   "Process of the launcher or of a rank (default: all jobs)")
      ->type_name("");
  command->add_flag("--json", arguments->json, "A list of objects instead of text");
  command->add_flag("--where", arguments->where,
                    "Of all jobs, and in --json: the line of the program in which each rank is");
  command->callback([arguments] {
    constexpr std::uint64_t pid_max = 1 << 22;
    const int pid = arguments->pid.empty()
                        ? 0
                        : static_cast<int>(parse_count("JOB", arguments->pid, 1, pid_max));
    inspect(pid, arguments->json, arguments->where);
  });
}

}  // namespace armature::command
