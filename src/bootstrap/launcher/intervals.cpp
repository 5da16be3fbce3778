#include "bootstrap/launcher/intervals.hpp"

#include <cstdlib>

#include <fmt/format.h>

#include "bootstrap/environment.hpp"

namespace armature::bootstrap {
namespace {

void set_seconds(const char* variable, double seconds) {
  if (seconds > 0) setenv(variable, fmt::format("{}", seconds).c_str(), 1);
}

}  // namespace

void tell_intervals(const LaunchOptions& options) {
  set_seconds(checkpoint_every_variable, options.checkpoint_every_s);
  set_seconds(copy_every_variable, options.copy_every_s);
  set_seconds(rebalance_every_variable, options.rebalance_every_s);
  if (options.rebalance_every_s > 0) setenv(rebalance_by_variable, options.rebalance_by.c_str(), 1);
}

}  // namespace armature::bootstrap
