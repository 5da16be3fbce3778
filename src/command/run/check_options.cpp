#include "command/run/check_options.hpp"

#include <cstdlib>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "armature/balance.hpp"
#include "base/fail.hpp"
#include "space/layout.hpp"
#include "world/variables.hpp"

namespace armature::command {
namespace {

using space::OnDeath;

template <class... Values>
void refuse_if(bool is_so, fmt::format_string<Values...> why, Values&&... values) {
  if (is_so) base::fail(Errc::start, fmt::format(why, std::forward<Values>(values)...));
}

struct Said {
  bool is_so;
  const char* option;
};

/// Simulated and virtual ranks take turns on one thread: whose turn it is not could be disturbed by
/// another one.
void check_other_threads(const LaunchOptions& options) {
  const char* const by_program = getenv("ARMATURE_PROGRAM_THREADS");
  refuse_if(
      options.threads > 1 && by_program != nullptr && std::string_view(by_program) != "0",
      "--program-threads (ARMATURE_PROGRAM_THREADS) does not go with --threads: in a process of "
      "several ranks, threads that the program starts are of no rank, and make no remote calls");
  if (!options.virtual_ranks && !options.simulation_seed) return;
  constexpr std::string_view service_threads = "--service-threads";
  for (const auto& [option, variable] :
       {std::pair{service_threads, "ARMATURE_SERVICE_THREADS"},
        std::pair{std::string_view("--program-threads"), "ARMATURE_PROGRAM_THREADS"}}) {
    const char* const value = getenv(variable);
    const bool is_for_concurrent_methods = option == service_threads && !options.simulation_seed &&
                                           value != nullptr && std::string_view(value) != "1";
    if (is_for_concurrent_methods) continue;
    refuse_if(value != nullptr && std::string_view(value) != "0",
              "{} ({}) goes neither with --virtual nor with --simulate: calls are executed when a "
              "rank waits or yields{}",
              option, variable,
              option == service_threads && !options.simulation_seed
                  ? " (--service-threads N, from 2 on, runs concurrent methods of virtual ranks)"
                  : "");
  }
}

void check_kind_of_ranks(const LaunchOptions& options) {
  if (options.virtual_ranks) {
    refuse_if(options.threads > 1,
              "--virtual does not go with --threads: ranks are one or the other");
    return;
  }
  for (const auto& [is_said, option] :
       {Said{options.processes != 0, "--processes"}, Said{options.balance, "--balance"},
        Said{options.stack_bytes != 0, "--stack-size"},
        Said{options.private_globals, "--private-globals"},
        Said{options.rebalance_every_s > 0, "--rebalance-every"},
        Said{options.checkpoint_every_s > 0, "--checkpoint-every"},
        Said{!options.checkpoint_directory.empty(), "--checkpoint"},
        Said{options.checkpoint_incremental, "--checkpoint-incremental"},
        Said{options.on_death == OnDeath::recover, "--on-death recover"}})
    refuse_if(is_said, "{} is for virtual ranks: say --virtual, too", option);
}

void check_simulation(const LaunchOptions& options) {
  const bool simulates = options.simulation_seed.has_value();
  refuse_if(!options.network.empty() && !simulates, "--network is for --simulate");
  refuse_if(!options.network.empty() && options.virtual_ranks,
            "--network does not go with --virtual: each rank is simulated by itself");
  refuse_if(options.simulated_deaths != 0 && !(simulates && options.on_death == OnDeath::recover),
            "--simulate-deaths is for --simulate with --on-death recover");
  for (const auto& [is_said, option] : {Said{options.simulated_leaves != 0, "--simulate-leaves"},
                                        Said{options.simulated_joins != 0, "--simulate-joins"}})
    refuse_if(is_said && !(simulates && options.virtual_ranks),
              "{} is for --simulate with --virtual", option);
  if (!simulates) return;
  refuse_if(options.threads > 1,
            "--threads does not go with --simulate: all ranks are in one process, in turn");
  refuse_if(options.nodes > 1 && !options.virtual_ranks,
            "--simulate with --nodes is for virtual ranks: say --virtual, too");
  refuse_if(!options.checkpoint_directory.empty(),
            "--checkpoint does not go with --simulate: a simulation is repeated by its seed");
  refuse_if(options.rebalance_every_s > 0,
            "--rebalance-every does not go with --simulate: its clock is another one");
  refuse_if(!options.trace.empty() && options.simulations > 0,
            "--trace does not go with --simulate FIRST-LAST: say the seed of one run");
}

/// Checks what is done every so often, and what is written.
void check_states(const LaunchOptions& options) {
  constexpr std::size_t directory_max = space::KeptFolder::directory_max;
  refuse_if(options.checkpoint_directory.size() > directory_max,
            "--checkpoint: the name of the directory has {} bytes, and may have {}",
            options.checkpoint_directory.size(), directory_max);
  refuse_if(options.checkpoint_every_s > 0 && options.checkpoint_directory.empty(),
            "--checkpoint-every: where to? Say --checkpoint DIR, too");
  refuse_if(options.copy_every_s > 0 && options.on_death != OnDeath::recover,
            "--copy-every: copies are made to recover from: say --on-death recover, too");
  if (options.rebalance_every_s <= 0) return;
  refuse_if(options.on_death == OnDeath::go_on,
            "--rebalance-every does not go with --on-death continue: a rank that has died cannot "
            "quiesce");
  (void)balance::strategy(options.rebalance_by);
}

/// Checks a job that takes in nodes while it runs.
void check_elastic(const LaunchOptions& options) {
  refuse_if(!options.hostfile.empty() && !options.elastic,
            "--hostfile is for nodes that come and go: say --elastic, too");
  if (!options.elastic) return;
  refuse_if(!options.virtual_ranks, "--elastic is for virtual ranks: say --virtual, too");
  refuse_if(options.simulation_seed.has_value(), "--elastic does not go with --simulate");
  refuse_if(!options.hosts.empty(),
            "--elastic is not possible with --hosts: another launcher starts the processes");
  refuse_if(options.nodes <= 1,
            "--elastic: a job that begins on one node stays there: say --nodes K, from 2 on, or "
            "--hostfile FILE with as many lines");
  refuse_if(options.on_death == OnDeath::go_on,
            "--elastic does not go with --on-death continue: a rank that has died cannot move");
}

/// Checks what is known of links between ranks.
void check_links(const LaunchOptions& options) {
  refuse_if(!options.place.empty() && options.virtual_ranks,
            "--place is for ranks that are processes, not for --virtual: virtual ranks move while "
            "the job runs (--rebalance-every)");
  for (const auto& [is_said, option] : {Said{!options.place.empty(), "--place"},
                                        Said{!options.record_links.empty(), "--record-links"}}) {
    refuse_if(is_said && options.simulation_seed, "{} does not go with --simulate", option);
    refuse_if(is_said && !options.hosts.empty(),
              "{} is not possible with --hosts: another launcher starts the processes", option);
  }
  refuse_if(!options.place.empty() && options.nodes <= 1,
            "--place says which ranks share a node, and there is one node: say --nodes K, too");
}

void check_hosts(const LaunchOptions& options) {
  const double stall_by_default_s = LaunchOptions().stall_s;
  for (const auto& [is_said, option] :
       {Said{options.simulation_seed.has_value(), "--simulate"},
        Said{options.bind != Bind::automatic, "--bind"}, Said{options.timeout_s != 0, "--timeout"},
        Said{options.nodes > 1, "--nodes"},
        Said{options.stall_s != 0 && options.stall_s != stall_by_default_s, "--stall"}})
    refuse_if(is_said,
              "{} is not possible with --hosts: another launcher starts and watches the processes",
              option);
  refuse_if(options.ranks == 0, "--hosts needs the number of ranks: -n N");
  refuse_if(!options.virtual_ranks && options.ranks % options.threads != 0,
            "{} ranks cannot be divided into processes of {}: with --hosts each hosts as many",
            options.ranks, options.threads);
}

}  // namespace

void check_options(const LaunchOptions& options) {
  check_kind_of_ranks(options);
  check_other_threads(options);
  check_simulation(options);
  check_states(options);
  check_elastic(options);
  check_links(options);
  // Each process would refuse them too, and say so.
  require_sense_of_variables();
  if (!options.hosts.empty()) check_hosts(options);
  // Each needs the memory of all.
  constexpr std::uint32_t ranks_max = space::virtual_ranks_on_nodes_max;
  refuse_if(options.virtual_ranks && options.nodes > 1 && options.ranks > ranks_max,
            "-n {} does not go with --virtual on several nodes (--nodes): there may be {} ranks at "
            "most",
            options.ranks, ranks_max);
}

}  // namespace armature::command
