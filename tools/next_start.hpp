#pragma once

#include <optional>
#include <string>

#include "bootstrap/launcher/launch.hpp"

namespace armature::tools {

/// What a job that another launcher has started is to go on as, if it has ended for that, with this
/// as its last checkpoint: processes and hosts, those without any being left out.
std::optional<bootstrap::Outcome> next_start(const bootstrap::LaunchOptions& options,
                                             const std::string& checkpoint);

}  // namespace armature::tools
