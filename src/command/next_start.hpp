#pragma once

#include <optional>
#include <string>

#include "command/run/launch.hpp"

namespace armature::command {

/// Finds out as what a job goes on that another launcher has started, if it has ended for that,
/// with this as its last checkpoint. Returns processes and hosts; those without any are left out.
std::optional<Outcome> next_start(const LaunchOptions& options, const std::string& checkpoint);

}  // namespace armature::command
