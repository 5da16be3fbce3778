#pragma once

#include <string>

#include "armature/world.hpp"
#include "world/change_nodes.hpp"

namespace armature::hosting {

/// By all ranks, on several nodes: the processes that rank 0 names leave the job or come to it, and
/// all that it has then share all ranks among them. Nobody is started again. Returns, on all, why
/// that cannot be, or nothing: then it is done.
[[nodiscard]] std::string change_processes(const World& world, const ProcessChange& change,
                                           const char* call);

}  // namespace armature::hosting
