#pragma once

#include "transport/links.hpp"

namespace armature::rma {

/// What this process does for others: lets the engine reach memory of its ranks.
void serve_keys(transport::Links& links);

}  // namespace armature::rma
