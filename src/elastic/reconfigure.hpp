#pragma once

#include "space/mapping.hpp"

namespace armature::elastic {

/// All processes of the job quiesce, and go on as others: without one that has died, and with all
/// ranks as they were in the last checkpoint in memory; or more of them or fewer, with ranks as
/// they are. Returns when every rank is where it is to go on, which its slot tells, and this
/// process may run those that it hosts; false when it is not to host any more. Never returns when
/// the job is ended meanwhile.
[[nodiscard]] bool reconfigure(const space::Mapping& mapping, int process, int segment_file);

}  // namespace armature::elastic
