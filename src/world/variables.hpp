#pragma once

namespace armature {

/// Looks at all environment variables by which users set something, whether this way of starting
/// needs them or not. Throws Error(start) naming the first whose value makes no sense.
void require_sense_of_variables();

}  // namespace armature
