#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/clock.hpp"
#include "base/fail.hpp"
#include "command/commands.hpp"
#include "command/executable/call_places.hpp"
#include "command/explain/explain.hpp"
#include "command/explain/phrase.hpp"
#include "command/inspect/jobs.hpp"
#include "command/inspect/pictures.hpp"
#include "command/json.hpp"
#include "command/numbers.hpp"
#include "team/learned.hpp"
#include "wait/processes.hpp"

namespace armature::command {
namespace {

constexpr const char* footer = R"(
Examples:
  armature inspect              all jobs of this user on this machine
  armature inspect 4242         the job whose launcher, or one of whose ranks, is process 4242
  armature inspect 4242 --json  the same for a program
  armature inspect --watch 2    again every 2 s, until no job is left
  armature inspect 4242 --trace last.json    what its ranks did last, as `armature run --trace` has it
  armature inspect 4242 --html job.html --watch 5    a page that shows itself anew

Nothing is asked of the ranks: their state is read from the job's shared memory. A rank that is not
waiting in a call of Armature runs, or is asleep in a call of its own. Of one job, the line in which
each of its first 64 ranks is stands below ("at halo.cpp:42", of programs with debug information): its
thread is stopped for the moment in which its stack is read. Where a rank waits for more than 100
others, --json has the first, and "waits_on_more". With --watch, --json has a line for each look.)";

/// Many thousand ranks may each wait for as many.
constexpr std::size_t waits_on_max = 100;

double age_s(const ObservedJob& job) {
  return static_cast<double>(base::now_ns() - job.control().header().started_ns) * 1e-9;
}

/// Lists what teams have learned about their long reductions, a line for each.
std::string lines_of(const std::vector<LearnedWords>& learned) {
  std::string text;
  for (const LearnedWords& team : learned)
    for (const std::uint64_t word : team.words)
      text += fmt::format("  learned by {}: {}\n",
                          team.team == 0 ? "the world" : fmt::format("team {}", team.team),
                          team::Learned::of(word).text());
  return text;
}

nlohmann::json as_json(const std::vector<LearnedWords>& learned) {
  nlohmann::json all = nlohmann::json::array();
  for (const LearnedWords& team : learned) {
    for (const std::uint64_t word : team.words) {
      const team::Learned one = team::Learned::of(word);
      nlohmann::json row = {{"team", team.team},
                            {"call", one.call()},
                            {"bytes_below", one.bytes_below()},
                            {"tries", one.tries},
                            {"changes", one.changes}};
      if (!one.tries)
        row.update({{"way", name_of(one.way)}, {"ns", one.ns}, {"skew_ns", one.skew_ns}});
      all.push_back(std::move(row));
    }
  }
  return all;
}

nlohmann::json as_json(const NetworkSeen& network) {
  nlohmann::json seen = {{"server", network.server_polls ? "polls" : "sleeps"}};
  for (std::size_t i = 0; i < network_counts.size(); ++i)
    seen[network_counts[i].name] = network.counts[i];
  return seen;
}

std::string said_of(const ObservedJob& job, const Snapshot& snapshot,
                    const Explanation& explanation) {
  const space::ControlHeader& header = job.control().header();
  return fmt::format("job {}: {} ranks of {}{}, started {} ago\n{}{}", job.pid(), header.ranks,
                     job.program(), in_processes(header), duration(age_s(job)), text(explanation),
                     lines_of(snapshot.learned));
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
    if (job.control().header().nodes > 1) {
      const RankState& state = snapshot.ranks[static_cast<std::size_t>(line.rank)];
      rank["connections"] = state.connections;
      rank["network"] = as_json(state.network);
    }
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
          {"learned", as_json(snapshot.learned)},
          {"findings", explanation.findings},
          {"hopeless", explanation.hopeless}};
}

struct Looks {
  int pid = 0;  // of the one job; 0: of all
  bool json = false;
  bool where = false;
  double every_s = 0;       // 0: one look
  std::string page, trace;  // files to write; empty: none
};

/// The jobs that one look has shown.
struct Shown {
  int jobs = 0;
  nlohmann::json all = nlohmann::json::array();
};

/// Shows one job. `page` becomes that of the last one that was seen to the end.
void show(const ObservedJob& job, const Looks& looks, Shown& shown, Page& page) {
  const Snapshot snapshot = job.observe();
  Explanation explanation = explain(snapshot);
  // To look at all jobs is to disturb none.
  if (looks.where || (looks.pid != 0 && !looks.json)) add_call_places(explanation, snapshot);
  const std::string said = said_of(job, snapshot, explanation);
  Page now = looks.page.empty() ? Page() : Page(job, said);
  if (!job.is_running()) return;  // what was seen of it may not be whole
  if (looks.json)
    shown.all.push_back(as_json(job, snapshot, explanation));
  else
    fmt::print("{}", said);
  if (!looks.page.empty()) {
    page = std::move(now);
    write_page(page, looks.page, looks.every_s);
  }
  if (!looks.trace.empty()) write_trace_of(job, looks.trace);
  ++shown.jobs;
}

/// Returns the number of jobs that were shown. One that ends while it is looked at is none.
int look(const Looks& looks, Page& page) {
  Shown shown;
  for (const ObservedJob& job : running_jobs()) {
    if (looks.pid != 0 && !job.has_process(looks.pid)) continue;
    try {
      show(job, looks, shown, page);
    } catch (const Error&) {
      if (job.is_running()) throw;
    }
  }
  if (looks.json) fmt::print("{}\n", looks.every_s > 0 ? line_of(shown.all) : text_of(shown.all));
  return shown.jobs;
}

/// Begins a look that follows another one: on a terminal it takes that one's place.
void begin_again(const Looks& looks) {
  constexpr const char* home_and_clear = "\x1b[H\x1b[J";
  if (looks.json) return;
  if (isatty(STDOUT_FILENO) != 0)
    fmt::print("{}", home_and_clear);
  else
    fmt::print("\n");
}

/// Browsers that show the page are told that it is the last one.
void end_page(const Looks& looks, Page& page) {
  if (looks.page.empty()) return;
  page.body.insert(0, "<p>The job has ended. This is the last look at it.</p>\n");
  write_page(page, looks.page, 0);
}

/// Looks until what is looked at has ended, or nobody reads it any more.
void watch(const Looks& looks, Page& page) {
  while (std::fflush(stdout) == 0) {
    std::this_thread::sleep_for(std::chrono::duration<double>(looks.every_s));
    begin_again(looks);
    if (look(looks, page) != 0) continue;
    end_page(looks, page);
    if (!looks.json)
      fmt::print("{}\n", looks.pid != 0 ? fmt::format("the job of process {} has ended", looks.pid)
                                        : "no job is running");
    return;
  }
}

void inspect(const Looks& looks) {
  Page page;
  const int shown = look(looks, page);
  if (looks.pid != 0 && shown == 0) {
    fmt::print(stderr,
               "armature inspect: process {} is neither the launcher nor a rank of a job that this "
               "user may "
               "look at. `armature inspect` lists the jobs.\n",
               looks.pid);
    throw CLI::RuntimeError(1);
  }
  if (!looks.json && shown == 0) fmt::print("no job is running\n");
  if (looks.every_s > 0 && shown != 0) watch(looks, page);
}

}  // namespace

void add_inspect(CLI::App& app) {
  auto* command = app.add_subcommand("inspect", "What the ranks of running jobs are doing");
  command->footer(footer);
  struct Arguments {
    std::string pid;
    bool json = false;
    bool where = false;
    double watch_s = 0;
    std::string page, trace;
  };
  auto arguments = std::make_shared<Arguments>();
  command
      ->add_option("JOB", arguments->pid,
                   "Process of the launcher or of a rank (default: all jobs)")
      ->type_name("");
  command->add_flag("--json", arguments->json, "A list of objects instead of text");
  command->add_flag("--where", arguments->where,
                    "Of all jobs, and in --json: the line of the program in which each rank is");
  command
      ->add_option_function<std::string>(
          "--watch",
          [arguments](const std::string& text) {
            arguments->watch_s = parse_seconds("--watch", text);
            if (arguments->watch_s < 0.01)
              throw CLI::ValidationError("--watch", "a look takes more than 10 ms: at least 0.01");
          },
          "Look again every S seconds, until the job has ended")
      ->type_name("S");
  command
      ->add_option(
          "--trace", arguments->trace,
          "Write what ranks of JOB did last, for https://ui.perfetto.dev, or as a page where "
          "the name ends with .html")
      ->type_name("FILE");
  command
      ->add_option(
          "--html", arguments->page,
          "Write a page of JOB: what is said here, loads over time, who waited for whom; with "
          "--watch browsers show each look")
      ->type_name("FILE");
  command->callback([arguments] {
    constexpr std::uint64_t pid_max = 1 << 22;
    const int pid = arguments->pid.empty()
                        ? 0
                        : static_cast<int>(parse_count("JOB", arguments->pid, 1, pid_max));
    for (const auto& [option, file] :
         {std::pair("--trace", &arguments->trace), std::pair("--html", &arguments->page)})
      if (pid == 0 && !file->empty())
        throw CLI::ValidationError(option, "of which job? Say the process of its launcher");
    inspect({pid, arguments->json, arguments->where, arguments->watch_s, arguments->page,
             arguments->trace});
  });
}

}  // namespace armature::command
