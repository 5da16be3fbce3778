#pragma once

namespace armature::bootstrap {

/// Set by `armature outlive`: a descriptor on which it hears that the process has joined its job.
/// Before that a death is the whole job's; after it, the job may go on.
inline constexpr const char* joined_variable = "ARMATURE_JOINED_FD";

/// Says so, once, to who wants to hear it; false when nobody does.
bool tell_joined();

}  // namespace armature::bootstrap
