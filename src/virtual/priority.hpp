#pragma once

#include "transport/links.hpp"

namespace armature::fibers {

/// What comes from other nodes for expedite().
void install_urgent(transport::Links& links);

}  // namespace armature::fibers
