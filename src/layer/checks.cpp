#include "armature/layer/checks.hpp"

#include "space/mapping.hpp"
#include "wait/rank_context.hpp"

namespace armature::layer {

bool checks_in_full() { return wait::mapping("checks_in_full").checks_in_full(); }

}  // namespace armature::layer
