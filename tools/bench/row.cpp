#include "bench/row.hpp"

#include <algorithm>

#include <nlohmann/json.hpp>

#include "bench/sample.hpp"

namespace armature::tools::bench {

namespace {

nlohmann::ordered_json or_null(std::optional<double> value) {
  return value ? nlohmann::ordered_json(*value) : nlohmann::ordered_json(nullptr);
}

Row median_of(const std::vector<Row>& same) {
  std::vector<double> bytes, ns, limit_ns;
  for (const Row& row : same) {
    bytes.push_back(static_cast<double>(row.bytes));
    ns.push_back(row.ns);
    if (row.limit_ns) limit_ns.push_back(*row.limit_ns);
  }
  Row result = same.front();
  result.bytes = static_cast<std::size_t>(median(bytes));
  result.ns = median(ns);
  if (!limit_ns.empty()) result.limit_ns = median(limit_ns);
  return result;
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
      const bool bytes_are_measured = row.op.starts_with("rss");
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

}  // namespace armature::tools::bench
