#pragma once

namespace armature::bootstrap {

/// How many virtual ranks the job has that another launcher than ours starts, ARMATURE_VIRTUAL; 0:
/// its ranks are none. Throws Error(start) when that is no number.
/// Its processes have been made alike before main: by each of them, which started its program once
/// more for that.
int virtual_ranks_wanted();

}  // namespace armature::bootstrap
