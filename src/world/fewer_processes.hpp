#pragma once

#include <string>
#include <vector>

#include "armature/world.hpp"

namespace armature::hosting {

/// By all ranks, on several nodes: the processes that rank 0 names leave the job, and the others
/// share all ranks among them. Nobody is started again. Returns, on all, why that cannot be, or
/// nothing: then it is done.
[[nodiscard]] std::string do_with_fewer_processes(const World& world,
                                                  const std::vector<int>& leaving,
                                                  const char* call);

}  // namespace armature::hosting
