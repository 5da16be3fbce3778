#pragma once

#include <cstdint>
#include <deque>

#include "armature/layer/service.hpp"
#include "transport/service.hpp"

namespace armature::layers {

/// A service that a layer has added, as layers and as the rooms below see it.
struct Added {
  explicit Added(const layer::Service& service);

  layer::Service of_layer;
  transport::Service of_process;
};

/// The services of this process's layers, by their numbers.
[[nodiscard]] const std::deque<Added>& added();
/// Closes the list: the process joins its job, and none may be added.
void close_list();

}  // namespace armature::layers
