#pragma once

#include <string>

#include "bootstrap/launcher/launch.hpp"

// Other launchers, started by this process, which waits for them.

namespace armature::bootstrap {

/// As hand_over, in a process of its own. A status above 128, a signal's, and a machine that
/// does not answer any more tell of a death, unless somebody has asked this one to end the job.
Outcome await_other(const LaunchOptions& options);

/// Whether the launcher that is found can start something on that machine, within some seconds.
bool answers(const std::string& host);

}  // namespace armature::bootstrap
