#include "command/job_options.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <sstream>
#include <vector>

#include <fmt/format.h>

#include "base/joined.hpp"
#include "bootstrap/environment.hpp"
#include "bootstrap/private_globals.hpp"
#include "command/commands.hpp"
#include "command/numbers.hpp"
#include "team/learned.hpp"

namespace armature::command {
namespace {

/// "a,b,c"
void set_hosts(LaunchOptions& options, const std::string& text) {
  std::istringstream names(text);
  for (std::string name; std::getline(names, name, ',');) {
    if (name.empty() || name.find_first_of(": \t") != std::string::npos)
      throw CLI::ValidationError("--hosts",
                                 fmt::format("'{}' is not a list of names: a,b,c", text));
    options.hosts.push_back(name);
  }
  if (options.hosts.empty()) throw CLI::ValidationError("--hosts", "which ones?");
}

/// Adds options that say where ranks are.
void add_places(CLI::App& command, const JobOptions& options) {
  add_count(command, options, "--processes", "P",
            "Processes that host the virtual ranks, of all nodes together (default: one per usable "
            "core, as many on each node); `armature resize` changes it while the job runs",
            &LaunchOptions::processes);
  command.add_flag("--balance,!--no-balance", options->balance,
                   "A process whose virtual ranks all wait takes ranks that are ready from others");
  add_rebalancing(command, *options);
  add_count(command, options, "--nodes", "K",
            "For tests: pretend K nodes, groups of ranks that do not share memory but speak over "
            "the network, on this machine's loopback (default 1)",
            &LaunchOptions::nodes);
  add_value(
      command, options, "--hosts", "A,B,...",
      "Machines to run on, as many processes on each: hands over to srun, mpirun or prterun; also "
      "with virtual ranks",
      set_hosts);
}

/// Adds options for when they are written.
void add_times(CLI::App& command, const JobOptions& options) {
  add_seconds(
      command, options, "--checkpoint-every", &LaunchOptions::checkpoint_every_s,
      "Write a checkpoint every S seconds, too; on several nodes, at the first call from then on "
      "with which the program asks whether one is due (armature::checkpoint with when_due), as on "
      "SIGUSR2");
  command.add_flag(
      "--checkpoint-incremental,!--no-checkpoint-incremental", options->checkpoint_incremental,
      "Write only the pages that changed since the checkpoint before; it and those it needs "
      "are kept until a whole one is written, when they together are as large");
  add_seconds(command, options, "--copy-every", &LaunchOptions::copy_every_s,
              "With --on-death recover: a checkpoint in memory every S seconds (default: when the "
              "program says so); on several nodes where the program asks, as above");
}

void set_private_globals(LaunchOptions& options, const std::string& text) {
  const auto wanted = bootstrap::PrivateGlobals::parse(text);
  if (!wanted)
    throw CLI::ValidationError("--private-globals", fmt::format("'{}' is none of {}", text,
                                                                bootstrap::private_globals_forms));
  options.private_globals = wanted->are_on;
  setenv(bootstrap::private_globals_variable, text.c_str(), 1);
}

}  // namespace

void add_value(CLI::App& command, const JobOptions& options, const char* names,
               const char* placeholder, const char* help, Set set) {
  command
      .add_option_function<std::string>(
          names, [options, set](const std::string& text) { set(*options, text); }, help)
      ->type_name(placeholder);
}

void add_old_name(CLI::App& command, const JobOptions& options, const char* old, NewName now) {
  const auto take = [options, old, now](const std::string& text) {
    fmt::print(stderr, "armature: {} is deprecated: use {}\n", old, now.name);
    now.set(*options, text);
  };
  command.add_option_function<std::string>(old, take)->group("");
}

void add_count(CLI::App& command, const JobOptions& options, const std::string& names,
               const char* placeholder, const char* help, std::uint32_t LaunchOptions::*member,
               Range range) {
  const std::string name = names.substr(names.rfind(',') + 1);
  command
      .add_option_function<std::string>(
          names,
          [options, member, name, range](const std::string& text) {
            (*options).*member =
                static_cast<std::uint32_t>(parse_count(name, text, range.least, range.most));
          },
          help)
      ->type_name(placeholder);
}

void add_seconds(CLI::App& command, const JobOptions& options, const char* name,
                 double LaunchOptions::*seconds, const char* help) {
  command
      .add_option_function<std::string>(
          name,
          [options, name, seconds](const std::string& text) {
            (*options).*seconds = parse_seconds(name, text);
          },
          help)
      ->type_name("S");
}

void add_on_death(CLI::App& command, const JobOptions& options, bool may_continue) {
  static const std::map<std::string, space::OnDeath> kinds = {{"end", space::OnDeath::end_job},
                                                              {"continue", space::OnDeath::go_on},
                                                              {"recover", space::OnDeath::recover}};
  std::vector<std::string> names = {"end", "recover"};
  if (may_continue) names.insert(names.begin() + 1, "continue");
  command
      .add_option_function<std::string>(
          "--on-death",
          [options, names](const std::string& text) {
            if (std::ranges::find(names, text) == names.end())
              throw CLI::ValidationError("--on-death", fmt::format("'{}' is neither '{}'", text,
                                                                   base::joined(names, "' nor '")));
            options->on_death = kinds.at(text);
          },
          "What becomes of the job when a rank dies (default end); recover: virtual ranks go back "
          "to their last checkpoint, in memory (--copy-every, or armature::checkpoint_in_memory), "
          "or where those are lost on disk")
      ->type_name(base::joined(names, "|"));
}

void add_shared_options(CLI::App& command, const JobOptions& options) {
  add_places(command, options);
  add_times(command, options);
  add_value(command, options, "--private-globals", "on|off|LIST",
            "Each virtual rank has globals of its own: a copy of the program; or the ranks of a "
            "process share them (default: on for C and Fortran programs linked with an interface's "
            "virtual archive, else off). LIST: program,libfoo.so copies that library, too",
            set_private_globals);
  add_seconds(command, options, "--timeout", &LaunchOptions::timeout_s,
              "End the job after S seconds, saying what it waited for");
  add_value(command, options, "--trace", "FILE",
            "Write what ranks did when, for https://ui.perfetto.dev: where they ran and waited, "
            "calls as arrows, moves; as a page with pictures where the name ends with .html",
            // A restart goes to the folder where the job was started.
            [](LaunchOptions& o, const std::string& text) {
              o.trace = std::filesystem::absolute(parse_name("--trace", text)).string();
            });
  add_value(
      command, options, "--collectives", "WAY",
      "Long reductions: usual, by bytes and members; adaptive, by what took least time so "
      "far; or always rounds, halving or doubling (default usual)",
      [](LaunchOptions&, const std::string& text) {
        static constexpr std::string_view ways[] = {"usual", "adaptive", "rounds", "halving",
                                                    "doubling"};
        if (std::ranges::find(ways, text) == std::end(ways))
          throw CLI::ValidationError(
              "--collectives",
              fmt::format("'{}' is none of usual, adaptive, rounds, halving, doubling", text));
        setenv(team::collectives_variable, text.c_str(), 1);
      });
  command.add_flag("--reproducible", options->reproducible,
                   "Reductions combine from the first member to the last, on any nodes: floating "
                   "point gives the same bits, though some take longer");
  command.add_flag(
      "--label", options->label,
      "Put [RANK], or [FIRST-LAST] of a process's ranks, in front of each line of output");
  command.add_flag("-v,--verbose", options->verbose, "Say what is started how, and all deaths");
}

}  // namespace armature::command
