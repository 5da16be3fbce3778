#pragma once

#include <optional>
#include <string>

#include "command/run/launch.hpp"

namespace armature::command {

/// What a job that another launcher has started is to go on as, if it has ended for that, with this
/// as its last checkpoint: processes and hosts, those without any being left out.
std::optional<Outcome> next_start(const LaunchOptions& options, const std::string& checkpoint);

}  // namespace armature::command
