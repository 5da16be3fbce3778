#include "bench/aim.hpp"

#include <algorithm>

namespace armature::bench {

std::optional<double> aimed_ns(const Row& row, std::span<const Aim> aims,
                               const std::vector<Row>& rows) {
  const auto aim = std::ranges::find_if(
      aims, [&](const Aim& a) { return a.op == row.op && a.bytes == row.bytes; });
  if (aim == aims.end()) return std::nullopt;
  if (aim->ns_max > 0 && aim->ratio_max > 0 && row.limit_ns)
    return aim->ns_max + aim->ratio_max * *row.limit_ns;
  if (aim->ns_max > 0) return aim->ns_max;
  if (!row.limit_ns) return std::nullopt;
  if (aim->than.empty()) return aim->ratio_max * *row.limit_ns;

  constexpr double noise = 1.05;  // two medians of the same thing differ by that much
  const auto other = std::ranges::find_if(
      rows, [&](const Row& r) { return r.op == aim->than && r.bytes == row.bytes; });
  if (other == rows.end() || !other->ratio()) return std::nullopt;
  return noise * *other->ratio() * *row.limit_ns;
}

}  // namespace armature::bench
