#pragma once

#include <vector>

#include "bench/row.hpp"

namespace armature::bench {

/// Rows of the program of bench/shmem, which measures OpenSHMEM between two PEs through shmem.h.
/// Throws std::runtime_error where it is not there, or fails.
[[nodiscard]] std::vector<Row> shmem_rows(bool quick);

}  // namespace armature::bench
