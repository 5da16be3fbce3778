#pragma once

#include <string>

namespace armature::bootstrap {

/// How many virtual ranks the job has that another launcher than ours starts, ARMATURE_VIRTUAL; 0:
/// its ranks are none. Throws Error(start) when that is no number.
/// Its processes have been made alike before main: by each of them, which started its program once
/// more for that.
int virtual_ranks_wanted();
/// True when its processes have not been made alike: the program began without libarmature, and
/// loaded it later.
bool has_come_late();
/// The checkpoint that they go on from, ARMATURE_RESTART; empty where they begin.
const std::string& restart_wanted();

}  // namespace armature::bootstrap
