#pragma once

#include <algorithm>
#include <cstdint>

#include "space/layout.hpp"

namespace armature::command {

/// The files that a launcher has open for a job.
struct JobFiles {
  std::uint32_t ranks = 1;
  std::uint32_t processes = 1;
  std::uint32_t nodes = 1;
  bool are_virtual = false;
  bool label = false;  // a pipe more for each process

  [[nodiscard]] std::uint64_t count() const {
    constexpr std::uint64_t own = 64;        // the launcher's
    constexpr std::uint64_t of_virtual = 3;  // the segments of a node, and two copies of them
    const std::uint64_t of_node =
        are_virtual ? of_virtual : std::min<std::uint64_t>(ranks, space::segment_files_max);
    // The files of a node are open twice while they are given numbers in a row.
    return 2 * of_node * nodes + std::uint64_t{2} * processes * (label ? 2 : 1) + own;
  }
};

}  // namespace armature::command
