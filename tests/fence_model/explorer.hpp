#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "model.hpp"

namespace armature::fence_model {

struct Exploration {
  std::size_t states = 0;
  std::size_t steps = 0;
  std::size_t ends = 0;
  /// The violation, after a shortest way there; every state was seen where there is none.
  std::optional<std::string> violation;
};

/// Looks at every state that the model can come to, nearest first.
Exploration explore(const Model& model);

}  // namespace armature::fence_model
