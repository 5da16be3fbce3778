#pragma once

namespace armature::interpose {

/// None is known any more, and so none keeps a rank.
[[gnu::visibility("hidden")]] void forget_mappings();

}  // namespace armature::interpose
