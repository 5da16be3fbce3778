#include "armature/balance.hpp"

#include <cstdio>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "base/fail.hpp"
#include "command/commands.hpp"
#include "command/numbers.hpp"

// `armature balance`: strategies tried on a problem that a program has recorded.

namespace armature::command {
namespace {

constexpr const char* footer = R"(
FILE is what a program writes with RebalanceOptions::record: for each element what it computed and where it was, and
who called whom. For each strategy: how near to ideal it would have come, how many elements would have moved, and
how much would have gone on between places.

Examples:
  armature balance --replay step100.problem
  armature balance --replay step100.problem --strategy greedy --strategy refine
  armature balance --replay step100.problem --places 16      on more places than there were)";

struct Options {
  std::string file;
  std::vector<std::string> strategies;
  int places = 0;
};

/// Limits the places: more are none that anybody has.
constexpr int places_max = 4096;

void replay(const Options& options) {
  balance::Problem problem = balance::replay(options.file);
  if (options.places == 0 && problem.places > places_max)
    base::fail(Errc::bad_argument,
               fmt::format("{} has {} places, and strategies can be tried on {}: say --places P",
                           options.file, problem.places, places_max));
  if (options.places > 0) {
    for (balance::Item& item : problem.items) item.place %= options.places;
    problem.places = options.places;
    problem.groups.clear();
    problem.levels.clear();
    problem.speeds.clear();
  }
  // A wrong name is told before anything else.
  std::vector<std::pair<std::string, balance::Strategy>> strategies;
  for (const std::string& name :
       options.strategies.empty() ? balance::strategy_names() : options.strategies)
    strategies.emplace_back(name, balance::strategy(name));
  fmt::print("{} items, {} links, {} places\n", problem.items.size(), problem.links.size(),
             problem.places);
  fmt::print("{:<14} {:>8} {:>12} {:>12} {:>8} {:>12}\n", "strategy", "of ideal", "most_s",
             "mean_s", "moved", "cut");
  for (const auto& [name, strategy] : strategies) {
    const balance::Verdict verdict = balance::judge(problem, strategy(problem));
    fmt::print("{:<14} {:>6.1f} % {:>12.4g} {:>12.4g} {:>8} {:>12.4g}\n", name,
               verdict.most > 0 ? 100 * verdict.mean / verdict.most : 100.0, verdict.most,
               verdict.mean, verdict.moved, verdict.cut);
    std::fflush(stdout);  // the next one may take long
  }
}

}  // namespace

void add_rebalancing(CLI::App& app, LaunchOptions& options) {
  app.add_option_function<std::string>(
         "--rebalance-every",
         [&options](const std::string& text) {
           options.rebalance_every_s = parse_seconds("--rebalance-every", text);
         },
         "Every S seconds virtual ranks go where what they have computed since the last time says, "
         "where that saves more than it takes; a line says what was done and why. On several "
         "nodes, "
         "at the first call from then on with which the program asks (armature::rebalance with "
         "when_due)")
      ->type_name("S");
  app.add_option("--rebalance-by", options.rebalance_by,
                 "The strategy for that, as in `armature balance` (default: chosen)")
      ->type_name("NAME")
      ->check(CLI::IsMember(balance::strategy_names()));
}

void add_balance(CLI::App& app) {
  auto* command = app.add_subcommand("balance", "Try strategies of load balancing on a record");
  command->footer(footer);
  auto options = std::make_shared<Options>();
  command->add_option("--replay", options->file, "What a program has recorded")
      ->type_name("FILE")
      ->required();
  command
      ->add_option("--strategy", options->strategies,
                   "This one; may be said several times (default: all)")
      ->type_name("NAME")
      ->allow_extra_args(false);
  command->add_option("--places", options->places, "As if there were so many places")
      ->type_name("P")
      ->check(CLI::Range(1, places_max));
  command->callback([options] { replay(*options); });
}

}  // namespace armature::command
