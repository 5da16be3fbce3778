#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "bench/row.hpp"

namespace armature::bench {

/// A bound on a row's time: so many times its limit, so many nanoseconds, both together where both
/// are given, or no more times its limit than another row takes of its own.
struct Aim {
  std::string_view op;
  std::size_t bytes = 0;
  double ratio_max = 0;
  double ns_max = 0;
  std::string_view than = {};
};

/// The aim in nanoseconds, as things were when the row was measured; nothing for a row without an
/// aim.
std::optional<double> aimed_ns(const Row& row, std::span<const Aim> aims,
                               const std::vector<Row>& rows);

}  // namespace armature::bench
