#pragma once

#include "space/mapping.hpp"

namespace armature::elastic {

/// Processes of the job have been lost. All others quiesce, and when this returns all ranks are as
/// in the last copy, in the processes that are left: this one may run those that it hosts. Further
/// ones may be lost meanwhile. Never returns where there is no such copy: QuiesceState then says
/// so, and whoever ends the job ends this process. False when it is to leave at once, since all
/// ranks are written, to go on in other processes.
[[nodiscard]] bool roll_back(const space::Mapping& mapping, int process, int segment_file);

}  // namespace armature::elastic
