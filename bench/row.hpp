#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "nlohmann/json_fwd.hpp"

namespace armature::bench {

/// One line of the result: what an operation took, and what the machine allows.
struct Row {
  std::string op;
  std::size_t bytes = 0;
  double ns = 0;
  std::optional<double> limit_ns;

  [[nodiscard]] std::optional<double> ratio() const {
    return limit_ns ? std::optional(ns / *limit_ns) : std::nullopt;
  }
};

/// {"op": .., "bytes": .., "ns": .., "limit_ns": .. or null, "ratio": .. or null}
nlohmann::ordered_json to_json(const Row& row);
/// Throws nlohmann::json::exception unless `line` is what to_json made.
Row row_of(std::string_view line);

/// True when `op` was asked for: nothing was, or its name, or the part of it before a dot.
bool wanted(const std::vector<std::string>& only, std::string_view op);

/// Takes, of several measurements of the same rows, the one in the middle, in the order of first
/// appearance.
std::vector<Row> medians(const std::vector<Row>& rows);

}  // namespace armature::bench
