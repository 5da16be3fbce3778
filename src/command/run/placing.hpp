#pragma once

#include <cstdint>
#include <vector>

#include "command/run/launch_options.hpp"

namespace armature::command {

/// The node of each rank, where the file of `--place` says which ranks move much between them; says
/// how many bytes cross between nodes before and after. Processes begin with `of_processes`, and
/// nodes with `of_nodes`, where ranks lie in a row. Empty without --place. Throws Error(start)
/// where the file is wrong.
std::vector<std::int32_t> place_ranks(const LaunchOptions& options, std::uint32_t ranks,
                                      const std::vector<std::uint32_t>& of_processes,
                                      const std::vector<std::uint32_t>& of_nodes);

}  // namespace armature::command
