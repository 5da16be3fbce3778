#pragma once

#include <vector>

#include "command/run/cores.hpp"
#include "command/run/launch_options.hpp"

namespace armature::command {

/// The hardware threads that each rank is bound to; empty where ranks are not bound.
using Binding = std::vector<std::vector<int>>;

/// A rank for itself is not bound: the kernel knows better which core is free. Ranks that find a
/// core each get one, all its hardware threads; ranks that find a hardware thread each get that;
/// others are not bound unless `bind` says so.
Binding choose_binding(const std::vector<Core>& cores, std::uint32_t ranks, Bind bind);

}  // namespace armature::command
