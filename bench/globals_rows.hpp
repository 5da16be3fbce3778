#pragma once

#include <vector>

#include "bench/row.hpp"

namespace armature::bench {

/// Rows of the programs of bench/globals: what it costs that each virtual rank has a copy of the
/// program. None where these programs are not beside this command. Throws std::runtime_error where
/// one fails.
[[nodiscard]] std::vector<Row> globals_rows(bool quick);

}  // namespace armature::bench
