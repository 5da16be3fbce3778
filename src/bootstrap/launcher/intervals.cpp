#include "bootstrap/launcher/intervals.hpp"

#include <cstdlib>

#include <fmt/format.h>

#include "armature/balance.hpp"
#include "base/fail.hpp"
#include "bootstrap/environment.hpp"

namespace armature::bootstrap {
namespace {

void refuse(const char* why) { base::fail(Errc::start, why); }

void check_rebalancing(const LaunchOptions& options) {
  if (!options.virtual_ranks) refuse("--rebalance-every is for virtual ranks: say --virtual, too");
  if (options.simulation_seed)
    refuse("--rebalance-every does not go with --simulate: its clock is another one");
  if (options.on_death == space::OnDeath::go_on)
    refuse(
        "--rebalance-every does not go with --on-death continue: a rank that has died cannot "
        "stand still");
  (void)balance::strategy(options.rebalance_by);
}

void set_seconds(const char* variable, double seconds) {
  if (seconds > 0) setenv(variable, fmt::format("{}", seconds).c_str(), 1);
}

}  // namespace

void check_intervals(const LaunchOptions& options) {
  if (options.rebalance_every_s > 0) check_rebalancing(options);
  if (options.copy_every_s > 0 && options.on_death != space::OnDeath::recover)
    refuse("--copy-every: copies are made to recover from: say --on-death recover, too");
  if (options.checkpoint_every_s <= 0) return;
  if (!options.virtual_ranks) refuse("--checkpoint-every is for virtual ranks: say --virtual, too");
  if (options.checkpoint_directory.empty())
    refuse("--checkpoint-every: where to? Say --checkpoint DIR, too");
}

void tell_intervals(const LaunchOptions& options) {
  set_seconds(checkpoint_every_variable, options.checkpoint_every_s);
  set_seconds(copy_every_variable, options.copy_every_s);
  set_seconds(rebalance_every_variable, options.rebalance_every_s);
  if (options.rebalance_every_s > 0) setenv(rebalance_by_variable, options.rebalance_by.c_str(), 1);
}

}  // namespace armature::bootstrap
