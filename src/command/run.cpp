#include <bit>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <memory>
#include <string>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "bootstrap/door_program.hpp"
#include "command/commands.hpp"
#include "command/job_options.hpp"
#include "command/numbers.hpp"
#include "command/run/check_options.hpp"
#include "command/run/launch.hpp"
#include "command/run/program.hpp"
#include "command/run/schedules.hpp"
#include "command/start.hpp"
#include "engines/load.hpp"
#include "net/server_way.hpp"
#include "space/layout.hpp"
#include "transport/channel.hpp"
#include "transport/network_costs.hpp"

namespace armature::command {
namespace {

constexpr const char* footer = R"(
Examples:
  armature run -n 4 ./prog input.dat        4 ranks on this machine
  armature run -n 8 --threads 4 ./prog      the same program as 2 processes of 4 threads each
  armature run -n 64 --virtual --processes 2 ./prog   64 fibers in 2 processes
  armature run -n 4 --label ./prog          each line of output with its rank in front
  armature run -n 2 --timeout 60 ./prog     end it after a minute, and say what it was waiting for
  armature run -n 3 gdb -q --args ./prog    a debugger per rank (only rank 0 has the keyboard)

Words behind the program are its own arguments. --threads and --virtual need a program that joins with
armature::run, or a C program (ARMCI_Init) that is linked with armci-virtual. Rank 0 gets the standard input. The exit status
is 0 when all ranks leave in order, else that of the first that failed (128 + N when it was killed by
signal N), 124 after --timeout, 127 or 126 when the program cannot be found or executed, 2 when an option is
unknown or its value impossible, and 1 when options do not go together. A second Ctrl-C kills all ranks,
a second SIGTERM those that do not end then.)";

/// The words behind `armature run`: the options, and what is not ours. Filled before options are
/// parsed.
struct Words {
  std::vector<std::string> options, program;
};
Words& words_of_run() {
  static Words words;
  return words;
}

void bind(LaunchOptions& options, const std::string& text) {
  static const std::map<std::string, Bind> kinds = {
      {"auto", Bind::automatic}, {"none", Bind::none}, {"core", Bind::core}};
  const auto found = kinds.find(text);
  if (found == kinds.end())
    throw CLI::ValidationError("--bind",
                               fmt::format("'{}' is neither 'auto' nor 'core' nor 'none'", text));
  options.bind = found->second;
}

/// A setting of the ranks, which they find in their environment.
void add_setting(CLI::App& run, const char* name, const char* placeholder, const char* variable,
                 std::uint64_t min, std::uint64_t max, const char* help) {
  run.add_option_function<std::string>(
         name,
         [name, variable, min, max](const std::string& text) {
           setenv(variable, std::to_string(parse_count(name, text, min, max)).c_str(), 1);
         },
         help)
      ->type_name(placeholder);
}

constexpr const char* service_threads = "--service-threads";
constexpr std::uint64_t threads_max = 64;

/// How ranks send and execute remote calls.
void add_call_settings(CLI::App& run, const std::shared_ptr<LaunchOptions>& options) {
  add_setting(run, "--aggregation", "K", "ARMATURE_AGGREGATION", 0, 1 << 20,
              "Remote calls to one rank that travel together (default 0: adaptive)");
  run.add_flag_function(
         service_threads,
         [](std::int64_t threads) {
           const std::string text = std::to_string(threads);
           setenv("ARMATURE_SERVICE_THREADS",
                  std::to_string(parse_count(service_threads, text, 0, threads_max)).c_str(), 1);
         },
         "A thread beside each rank that executes incoming calls while the rank computes; N, if a "
         "number follows: methods that are declared as concurrent run on N threads, of virtual "
         "ranks too")
      ->type_name("[N]");
  run.add_flag_callback(
      "--program-threads", [] { setenv("ARMATURE_PROGRAM_THREADS", "1", 1); },
      "Threads that the program starts may make remote calls; each call then takes a lock");
  add_setting(
      run, "--poll-every", "N", "ARMATURE_POLL_EVERY", 0, UINT32_MAX,
      "Execute incoming calls at every Nth outgoing one (default 64; 0: only while waiting)");
  add_setting(
      run, "--nesting-max", "N", "ARMATURE_NESTING_MAX", 1, 250,
      "Methods in execution at once on a rank, and depth of a chain of two-way calls (default 64)");
  add_value(
      run, options, "--channel", "BYTES",
      "Remote calls on the way from one rank to another: a power of two, 32K to 1M (default 64K)",
      [](LaunchOptions&, const std::string& text) {
        const std::uint64_t bytes = parse_bytes("--channel", text);
        if (bytes < transport::Channel::capacity_min || bytes > transport::Channel::capacity_max ||
            !std::has_single_bit(bytes))
          throw CLI::ValidationError("--channel",
                                     fmt::format("'{}' is no power of two from 32K to 1M", text));
        setenv("ARMATURE_CHANNEL_BYTES", std::to_string(bytes).c_str(), 1);
      });
}

/// Ranks that are fibers.
void add_virtual_ranks(CLI::App& run, const std::shared_ptr<LaunchOptions>& options) {
  run.add_flag("--virtual", options->virtual_ranks,
               "Ranks that are no threads of their own but fibers: many to a process, which runs "
               "another one where a rank waits");
  run.add_flag("!--no-globals-note", options->globals_note,
               "Do not say which of the program's variables virtual ranks share");
  add_value(run, options, "--stack-size", "BYTES",
            "Stack of each virtual rank (default 8M, less where segments are small)",
            [](LaunchOptions& o, const std::string& text) {
              o.stack_bytes = (parse_bytes("--stack-size", text) + 4095) / 4096 * 4096;
            });
}

/// Writing them to disk.
void add_checkpoints(CLI::App& run, const std::shared_ptr<LaunchOptions>& options) {
  add_value(run, options, "--checkpoint", "DIR",
            "Virtual ranks: write checkpoints to DIR, when the program says so or on SIGUSR2 to "
            "this command; `armature restart DIR` goes on from the last one",
            [](LaunchOptions& o, const std::string& text) {
              o.checkpoint_directory =
                  std::filesystem::absolute(parse_name("--checkpoint", text)).string();
              setenv("ARMATURE_CHECKPOINT", o.checkpoint_directory.c_str(), 1);
            });
}

/// How nodes speak with each other.
void add_network_settings(CLI::App& run, const std::shared_ptr<LaunchOptions>& options) {
  add_value(run, options, "--net-device", "NAME",
            "The network interface between nodes (default: loopback for pretended nodes)",
            [](LaunchOptions&, const std::string& text) {
              setenv("ARMATURE_NET_DEVICE", text.c_str(), 1);
            });
  add_value(
      run, options, "--net-engine", "NAME",
      "What carries messages between nodes: ucx or ofi, that is libfabric (default: the first "
      "that is there)",
      [](LaunchOptions&, const std::string& text) {
        setenv("ARMATURE_NET_ENGINE", text.c_str(), 1);
        (void)transport::engine_wanted();
      });
  add_value(run, options, "--net-server", "HOW",
            "How a process serves other nodes while it computes: sleep, poll (it takes a core), or "
            "auto, which polls where each thread of the job has a core, and OMP_NUM_THREADS says "
            "how many threads a rank has (default: auto)",
            [](LaunchOptions&, const std::string& text) {
              setenv(net::server_variable, text.c_str(), 1);
              (void)net::choose_server(1, 1);
            });
  add_value(run, options, "--net-heartbeat", "S",
            "Give up a process of another node that is silent for S seconds (default 10; 0: never)",
            [](LaunchOptions&, const std::string& text) {
              setenv("ARMATURE_NET_HEARTBEAT",
                     fmt::format("{}", parse_seconds("--net-heartbeat", text)).c_str(), 1);
            });
}

/// Adds options for what can be seen of the job from outside.
void add_watching(CLI::App& run, const std::shared_ptr<LaunchOptions>& options) {
  add_seconds(
      run, options, "--stall", &LaunchOptions::stall_s,
      "Say what ranks wait for when nothing has moved for S seconds (default 60; 0: never)");
}

/// "3-200", "7".
Schedules parse_schedules(const std::string& text) {
  const std::string name = "--simulate";
  const std::size_t dash = text.find('-');
  if (dash == std::string::npos) {
    const std::uint64_t seed = parse_count(name, text, 0, UINT64_MAX);
    return {.first = seed, .last = seed};
  }
  const Schedules range{.first = parse_count(name, text.substr(0, dash), 0, UINT64_MAX),
                        .last = parse_count(name, text.substr(dash + 1), 0, UINT64_MAX)};
  if (range.first > range.last)
    throw CLI::ValidationError(
        name, fmt::format("'{}' has no seed: FIRST-LAST, as in 1-100, or one number", text));
  return range;
}

void add_simulation(CLI::App& run, const std::shared_ptr<LaunchOptions>& options) {
  add_value(
      run, options, "--simulate", "SEED|FIRST-LAST",
      "All ranks in one process, on a clock of its own: SEED decides whose turn it is and what "
      "is delayed; the same seed repeats the run. Virtual ranks of several nodes, "
      "and where processes die, leave or come: in processes that act in turn. FIRST-LAST: a run "
      "for each of these seeds, and the first one that fails is named",
      [](LaunchOptions& o, const std::string& text) {
        const Schedules schedules = parse_schedules(text);
        o.simulation_seed = schedules.first;
        o.simulations = schedules.last - schedules.first;
      });
  add_value(run, options, "--network", "COSTS",
            "With --simulate: predict the program's time, where messages cost that, as in "
            "latency=1us,overhead=200ns,gap=200ns,bandwidth=10GB/s",
            [](LaunchOptions& o, const std::string& text) {
              (void)transport::parse_network_costs(text);
              o.network = text;
            });
  add_count(run, options, "--simulate-deaths", "N",
            "Kill N processes of a simulation of virtual ranks, when SEED decides: with --on-death "
            "recover",
            &LaunchOptions::simulated_deaths, {0, 8});
  add_count(run, options, "--simulate-leaves", "N",
            "Ask N processes of a simulation of virtual ranks to leave, when SEED decides: their "
            "ranks go on in the others",
            &LaunchOptions::simulated_leaves, {0, 8});
  add_count(
      run, options, "--simulate-joins", "N",
      "Let N further processes come to a simulation of virtual ranks, when SEED decides: they "
      "take over ranks of the others",
      &LaunchOptions::simulated_joins, {0, 8});
}

/// The places of nodes, links between process ranks, and where these begin.
void add_links(CLI::App& run, const std::shared_ptr<LaunchOptions>& options) {
  add_value(run, options, "--record-links", "FILE",
            "Write down how many bytes each two ranks move between them, for --place, and for "
            "strategies that move virtual ranks; checks all addresses, too, as --check does",
            [](LaunchOptions& o, const std::string& text) {
              o.record_links = parse_name("--record-links", text);
            });
  add_value(
      run, options, "--place", "FILE",
      "With --nodes: put process ranks on nodes so that those that moved much between them in "
      "the run of --record-links FILE share one",
      [](LaunchOptions& o, const std::string& text) { o.place = parse_name("--place", text); });
  add_value(run, options, "--topology", "FILE",
            "Which nodes are at which switch: lines SwitchName=NAME Nodes=LIST, as in Slurm's "
            "topology.conf; nodes that are pretended are node0, node1 and so on",
            [](LaunchOptions& o, const std::string& text) {
              o.topology = parse_name("--topology", text);
            });
}

void add_elastic(CLI::App& run, const std::shared_ptr<LaunchOptions>& options) {
  run.add_flag(
      "--elastic", options->elastic,
      "Virtual ranks on several nodes: take in further ones while the job runs (armature "
      "join), give back those whose processes are asked to end, and recover from those "
      "that are killed (implies --on-death recover); tells the time that each change takes");
  add_value(run, options, "--hostfile", "FILE",
            "With --elastic, in place of --nodes: a node for each line NAME [netns=FILE], in that "
            "network namespace if it is said. The file is watched: a line that comes is a node "
            "that joins, and one that goes a notice to its node",
            [](LaunchOptions& o, const std::string& text) {
              o.hostfile = parse_name("--hostfile", text);
            });
}

void add_options(CLI::App& run, const std::shared_ptr<LaunchOptions>& options) {
  add_count(run, options, "-n,--ranks", "N", "Number of ranks (default: one per usable core)",
            &LaunchOptions::ranks);
  run.get_option("-n")->check([](const std::string& text) {
    return text == "p" ? "-np is -n here: armature run -n 4 PROGRAM" : "";
  });
  add_count(run, options, "--threads", "K",
            "Ranks per process, threads of it (default 1: every rank a process)",
            &LaunchOptions::threads);
  add_links(run, options);
  add_elastic(run, options);
  add_virtual_ranks(run, options);
  add_checkpoints(run, options);
  add_shared_options(run, options);
  add_simulation(run, options);
  add_value(
      run, options, "--bind", "auto|core|none",
      "Bind each rank to a core (default auto: where there are enough cores for several ranks)",
      bind);
  add_on_death(run, options, true);
  add_watching(run, options);
  run.add_flag("--check", options->check_full,
               "Check every address against what is allocated, on every call, and whether accesses "
               "of two ranks are ordered");
  run.add_flag_callback(
      "--races", [options] { options->races = LaunchOptions::Races::yes; },
      "Look whether accesses of two ranks to the same memory are ordered; --check does, and "
      "--simulate for OpenSHMEM programs");
  run.add_flag_callback(
      "--no-races", [options] { options->races = LaunchOptions::Races::no; },
      "Do not look whether accesses are ordered");
  add_value(run, options, "--segment-size", "BYTES",
            "Address range of each rank, a power of two, as in 64G (default: as large as fits)",
            [](LaunchOptions& o, const std::string& text) {
              o.segment_bytes = parse_bytes("--segment-size", text);
            });
  add_old_name(run, options, "--band-size",  // deprecated
               {"--segment-size", [](LaunchOptions& o, const std::string& text) {
                  o.segment_bytes = parse_bytes("--segment-size", text);
                }});
  add_value(
      run, options, "--base", "ADDRESS",
      fmt::format("Where the ranks' address ranges begin (default {:#x})", space::default_base)
          .c_str(),
      [](LaunchOptions& o, const std::string& text) {
        o.segment_base = parse_address("--base", text);
      });
  add_call_settings(run, options);
  add_network_settings(run, options);
}

/// An OpenSHMEM program that is linked for virtual ranks is simulated with those.
void choose_kind_of_ranks(LaunchOptions& options) {
  const Program program = find_program(options.command.front());
  options.has_symmetric_variables = program && bootstrap::has_symmetric_variables(program.path);
  if (!options.simulation_seed || options.virtual_ranks || !options.has_symmetric_variables) return;
  options.virtual_ranks = true;
  if (options.processes == 0) options.processes = 1;
}

int try_all(const LaunchOptions& options) {
  check_options(options);
  const std::uint64_t first = options.simulation_seed.value_or(0);
  return try_schedules({.first = first,
                        .last = first + options.simulations,
                        .options = words_of_run().options,
                        .program = options.command});
}

/// How many words this one stands for: 2 for an option with its value behind it.
std::size_t words_of_option(const CLI::App& run, const std::string& word) {
  const auto takes_value = [&](const std::string& name) {
    const CLI::Option* option = run.get_option_no_throw(name);
    return option != nullptr && option->get_items_expected_max() > 0;
  };
  if (word.starts_with("--"))
    return word.find('=') == std::string::npos && takes_value(word) ? 2 : 1;
  // -v, -n4, -vn4, and -vn with the number behind it
  for (std::size_t i = 1; i < word.size(); ++i)
    if (takes_value({'-', word[i]})) return i + 1 == word.size() ? 2 : 1;
  return 1;
}

}  // namespace

namespace {

/// The one option that may have a number behind it, or none: joins the two.
void join_number(std::vector<std::string>& words, std::size_t at) {
  if (words[at] != service_threads || at + 1 == words.size()) return;
  const std::string& next = words[at + 1];
  if (next.find_first_not_of("0123456789") != std::string::npos || next.empty()) return;
  words[at] += "=" + next;
  words.erase(words.begin() + static_cast<std::ptrdiff_t>(at) + 1);
}

}  // namespace

void split_off_program(const CLI::App& run, std::vector<std::string>& words) {
  std::size_t at = 1;
  while (at < words.size() && words[at] != "--" && words[at].size() > 1 && words[at][0] == '-') {
    join_number(words, at);
    at += words_of_option(run, words[at]);
  }
  if (at >= words.size()) return;
  const std::size_t program = words[at] == "--" ? at + 1 : at;
  words_of_run().program.assign(words.begin() + static_cast<std::ptrdiff_t>(program), words.end());
  words.resize(at);
  words_of_run().options = words;
}

void add_run(CLI::App& app) {
  auto* run = app.add_subcommand("run", "Start the ranks of a program on this machine");
  // Added for the help text alone: split_off_program has taken it out.
  run->add_option("PROGRAM", "What to run, with its arguments behind it")->type_name("");
  run->footer(footer);
  auto options = std::make_shared<LaunchOptions>();
  add_options(*run, options);
  run->callback([options] {
    options->command = words_of_run().program;
    if (options->command.empty()) throw CLI::ValidationError("no program", "what shall be run?");
    choose_kind_of_ranks(*options);
    if (options->elastic && options->on_death == space::OnDeath::end_job)
      options->on_death = space::OnDeath::recover;
    const int status = options->simulations == 0 ? start(*options) : try_all(*options);
    if (status != 0) throw CLI::RuntimeError(status);
  });
}

}  // namespace armature::command
