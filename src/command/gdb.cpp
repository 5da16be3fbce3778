#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <memory>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "base/fail.hpp"
#include "command/commands.hpp"
#include "command/executable/copies_in_gdb.hpp"
#include "command/explain/phrase.hpp"
#include "command/inspect/jobs.hpp"
#include "command/numbers.hpp"

// `armature gdb RANK`: the debugger, attached to the process which hosts that rank.

namespace armature::command {
namespace {

constexpr const char* footer = R"(
Examples:
  armature gdb 3                          the process of rank 3, where one job is running
  armature gdb 3 4242                     in the job whose launcher, or one of whose ranks, is process 4242
  armature gdb 3 4242 -- -batch -ex bt    words behind -- are for gdb: print the stack, and let the rank go on

A rank that is a thread of its process is the current thread then. Of virtual ranks gdb shows the one that
has its turn; `armature inspect` says where the others wait. Breakpoints bind in each rank's copy of the program
(--private-globals) that the process has run. The other ranks go on meanwhile, as far as they
need nothing of that process, and --timeout and --stall count on.)";

constexpr int status_not_found = 127;

/// The words behind `--`, which are gdb's. Filled before options are parsed.
std::vector<std::string>& words_for_gdb() {
  static std::vector<std::string> words;
  return words;
}

std::string list_of(const std::vector<ObservedJob>& jobs) {
  std::string list;
  for (const ObservedJob& job : jobs)
    list += fmt::format("{}{} ({} ranks of {})", list.empty() ? "" : ", ", job.pid(),
                        job.control().header().ranks, job.program());
  return list;
}

const ObservedJob& choose(const std::vector<ObservedJob>& jobs, int pid) {
  if (pid == 0 && jobs.size() == 1) return jobs.front();
  if (pid == 0 && jobs.empty()) throw CLI::ValidationError("no job", "none is running");
  if (pid == 0)
    throw CLI::ValidationError(
        "which job?",
        fmt::format("several are running: armature gdb RANK JOB, where JOB is {}", list_of(jobs)));
  const auto found =
      std::ranges::find_if(jobs, [&](const ObservedJob& job) { return job.has_process(pid); });
  if (found == jobs.end())
    throw CLI::ValidationError(
        "JOB", fmt::format("process {} is neither the launcher nor a rank of a job that this user "
                           "may look at. `armature inspect` lists the jobs",
                           pid));
  return *found;
}

/// The place of a rank: its process, and its thread there.
struct Place {
  int pid = 0;
  int tid = 0;
};

Place place_of(const ObservedJob& job, std::uint64_t rank) {
  const std::uint64_t ranks = job.control().header().ranks;
  if (rank >= ranks)
    throw CLI::ValidationError("RANK", fmt::format("there is no rank {}: job {} has ranks 0 to {}",
                                                   rank, job.pid(), ranks - 1));
  const RankState state = job.observe().ranks[rank];
  if (state.pid == 0)
    throw CLI::ValidationError("RANK", fmt::format("rank {} has no process yet", rank));
  if (state.elsewhere)
    throw CLI::ValidationError("RANK",
                               fmt::format("rank {} is on another node: log in there", rank));
  if (state.life == space::Life::finished || state.life == space::Life::dead)
    throw CLI::ValidationError("RANK", fmt::format("rank {} has ended", rank));
  return {state.pid, state.tid};
}

[[noreturn]] void become_gdb(const Place& place, const space::ControlHeader& job) {
  std::vector<std::string> words = {"gdb", "-q", "-p", std::to_string(place.pid)};
  if (job.ranks_are_virtual != 0) words.insert(words.end(), {"-ex", names_of_copies(job)});
  if (place.tid != 0 && place.tid != place.pid) {
    // gdb has no command that selects a thread by the system's number.
    words.insert(
        words.end(),
        {"-ex", fmt::format("python [t.switch() for t in gdb.selected_inferior().threads() "
                            "if t.ptid[1] == {}]",
                            place.tid)});
  }
  words.insert(words.end(), words_for_gdb().begin(), words_for_gdb().end());
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  execvp("gdb", arguments.data());
  const std::string why = errno == ENOENT
                              ? "gdb is not installed, or not in PATH (Debian's package gdb)"
                              : "gdb cannot be started: " + base::system_text(errno);
  fmt::print(stderr, "armature gdb: {}\n", why);
  throw CLI::RuntimeError(status_not_found);
}

}  // namespace

void add_gdb(CLI::App& app) {
  auto* command = app.add_subcommand("gdb", "Attach the debugger gdb to the process of a rank");
  command->footer(footer);
  struct Arguments {
    std::string rank, job;
  };
  auto arguments = std::make_shared<Arguments>();
  command->add_option("RANK", arguments->rank, "The rank")->type_name("")->required();
  command
      ->add_option("JOB", arguments->job,
                   "Process of the launcher or of a rank (default: the only job)")
      ->type_name("");
  command->callback([arguments] {
    constexpr std::uint64_t pid_max = 1 << 22;
    const std::uint64_t rank = parse_count("RANK", arguments->rank, 0, INT32_MAX);
    const int pid = arguments->job.empty()
                        ? 0
                        : static_cast<int>(parse_count("JOB", arguments->job, 1, pid_max));
    const std::vector<ObservedJob> jobs = running_jobs();
    const ObservedJob& chosen = choose(jobs, pid);
    become_gdb(place_of(chosen, rank), chosen.control().header());
  });
}

void split_off_gdb(std::vector<std::string>& words) {
  const auto end = std::ranges::find(words, "--");
  if (end == words.end()) return;
  words_for_gdb().assign(end + 1, words.end());
  words.erase(end, words.end());
}

}  // namespace armature::command
