#pragma once

#include <functional>

#include "space/mapping.hpp"

namespace armature::elastic {

/// All processes of the job quiesce, and go on as others: without one that has died, and with all
/// ranks as they were in the last checkpoint in memory; or more of them or fewer, with ranks as
/// they are. Returns when every rank is where it is to go on, which its slot tells, and this
/// process may run those that it hosts; false when it is not to host any more. Never returns when
/// the job is ended meanwhile. Calls before_rolling_back() each time that it is about to: a death
/// may have all roll back that began to go on elsewhere.
[[nodiscard]] bool reconfigure(const space::Mapping& mapping, int process, int segment_file,
                               const std::function<void()>& before_rolling_back);

}  // namespace armature::elastic
