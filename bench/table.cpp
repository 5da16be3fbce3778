#include "bench/table.hpp"

#include <algorithm>
#include <optional>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace armature::bench {

namespace {

std::string show(std::optional<double> ns) {
  if (!ns) return "-";
  return *ns < 100 ? fmt::format("{:.1f}", *ns) : fmt::format("{:.0f}", *ns);
}

std::string show_ratio(std::optional<double> ratio) {
  return ratio ? fmt::format("{:.2f}", *ratio) : "-";
}

}  // namespace

std::string table(const std::vector<Row>& rows, const Peers& peers, std::span<const Aim> aims) {
  std::size_t width = 17;
  for (const Row& row : rows) width = std::max(width, row.op.size());
  std::string text = fmt::format("{:<{}} {:>10} {:>11} {:>11} {:>7}", "op", width, "bytes", "ns",
                                 "limit_ns", "ratio");
  if (!aims.empty()) text += fmt::format(" {:>11} {:>7}", "aim_ns", "within");
  if (!peers.empty()) text += fmt::format(" {:>11}  {}", "peer_ns", "peer");
  text += '\n';
  for (const Row& row : rows) {
    text += fmt::format("{:<{}} {:>10} {:>11} {:>11} {:>7}", row.op, width, row.bytes, show(row.ns),
                        show(row.limit_ns), show_ratio(row.ratio()));
    if (!aims.empty()) {
      const auto aim = aimed_ns(row, aims, rows);
      text += fmt::format(" {:>11} {:>7}", show(aim), !aim ? "-" : row.ns <= *aim ? "yes" : "no");
    }
    if (const auto peer = peers.best(row.op, row.bytes))
      text += fmt::format(" {:>11}  {}", show(peer->ns), peer->system);
    text += '\n';
  }
  return text;
}

std::string json(const std::vector<Row>& rows, const Peers& peers, std::span<const Aim> aims) {
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (const Row& row : rows) {
    nlohmann::ordered_json object = to_json(row);
    if (const auto aim = aimed_ns(row, aims, rows)) object["aim_ns"] = *aim;
    if (const auto peer = peers.best(row.op, row.bytes)) {
      object["peer"] = peer->system;
      object["peer_ns"] = peer->ns;
    }
    list.push_back(std::move(object));
  }
  // One object a line: readable, and differences stay small.
  std::string text = "[";
  for (const auto& object : list) text += (text.size() == 1 ? "\n  " : ",\n  ") + object.dump();
  return text + "\n]\n";
}

}  // namespace armature::bench
