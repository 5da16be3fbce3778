#pragma once

#include <vector>

#include "bench/row.hpp"

namespace armature::bench {

/// Rows of the examples whose work is uneven, with the strategy `none` and with another: time of
/// the member with most, summed over the steps; limit: if all had had as much. None of an example
/// that is not beside this command.
std::vector<Row> balanced_examples_rows();

}  // namespace armature::bench
