#include "command/run/intervals.hpp"

#include <cstdlib>

#include <fmt/format.h>

#include "bootstrap/environment.hpp"

namespace armature::command {
namespace {

void set_seconds(const char* variable, double seconds) {
  if (seconds > 0) setenv(variable, fmt::format("{}", seconds).c_str(), 1);
}

}  // namespace

void tell_intervals(const LaunchOptions& options) {
  set_seconds(bootstrap::checkpoint_every_variable, options.checkpoint_every_s);
  set_seconds(bootstrap::copy_every_variable, options.copy_every_s);
  set_seconds(bootstrap::rebalance_every_variable, options.rebalance_every_s);
  if (options.rebalance_every_s > 0)
    setenv(bootstrap::rebalance_by_variable, options.rebalance_by.c_str(), 1);
}

}  // namespace armature::command
