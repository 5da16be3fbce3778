#include "bench/row.hpp"

#include <algorithm>

#include <nlohmann/json.hpp>

namespace armature::bench {

namespace {

nlohmann::ordered_json or_null(std::optional<double> value) {
  return value ? nlohmann::ordered_json(*value) : nlohmann::ordered_json(nullptr);
}

/// The measurement in the middle, by what is compared. Not the medians of both times: a job may
/// have run while the machine was slower than during the others, and its two times belong together.
Row median_of(std::vector<Row> same) {
  const auto figure = [](const Row& row) { return row.ratio().value_or(row.ns); };
  const auto middle = same.begin() + static_cast<std::ptrdiff_t>(same.size() / 2);
  std::ranges::nth_element(same, middle, {}, figure);
  return *middle;
}

}  // namespace

nlohmann::ordered_json to_json(const Row& row) {
  return {{"op", row.op},
          {"bytes", row.bytes},
          {"ns", row.ns},
          {"limit_ns", or_null(row.limit_ns)},
          {"ratio", or_null(row.ratio())}};
}

Row row_of(std::string_view line) {
  const auto json = nlohmann::json::parse(line);
  Row row{.op = json.at("op"), .bytes = json.at("bytes"), .ns = json.at("ns"), .limit_ns = {}};
  if (!json.at("limit_ns").is_null()) row.limit_ns = json.at("limit_ns").get<double>();
  return row;
}

bool wanted(const std::vector<std::string>& only, std::string_view op) {
  return only.empty() || std::ranges::any_of(only, [&](std::string_view name) {
           return op == name || (op.starts_with(name) && op[name.size()] == '.');
         });
}

std::vector<Row> medians(const std::vector<Row>& rows) {
  std::vector<std::vector<Row>> groups;
  for (const Row& row : rows) {
    const auto same = [&](const auto& group) {
      const bool bytes_are_measured = row.op.starts_with("rss") || row.op.starts_with("create");
      return group.front().op == row.op && (bytes_are_measured || group.front().bytes == row.bytes);
    };
    const auto found = std::ranges::find_if(groups, same);
    if (found != groups.end())
      found->push_back(row);
    else
      groups.push_back({row});
  }
  std::vector<Row> result;
  for (const auto& group : groups) result.push_back(median_of(group));
  return result;
}

}  // namespace armature::bench
