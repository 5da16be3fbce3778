// News of a team's members travels between nodes along the tree that real jobs use, edge by edge:
// a node tells another one when it has heard of all that it tells of. Each node is stood for by
// its first member; the others of it hear of all from that one.
#include <algorithm>
#include <map>

#include "simulation/timed_network.hpp"
#include "team/nodes.hpp"
#include "team/team_records.hpp"

namespace armature::simulation {
namespace {

using team::NodeEdge;
using team::NodeRange;
using transport::LogGP;
using transport::NetworkCosts;

/// Up to here nodes tell each other directly; as in team/nodes.cpp.
constexpr std::uint32_t direct_max = 4;
// A record of a round takes so many bytes of a packet (team/team_records.hpp).
constexpr std::size_t record_bytes = 64;

/// A node of the team, and what it has heard of by when.
struct Node {
  std::vector<std::size_t> members;
  Picoseconds entered = 0;  // all of them
  Picoseconds processor_free = 0, out_free = 0;
  std::map<std::uint32_t, Picoseconds> heard;  // by other node
};

class Round {
 public:
  Round(const RoundTimes& round, const NetworkCosts& costs)
      : round_(round),
        costs_(costs),
        shows_bytes_(
            std::ranges::any_of(round.shown, [](std::size_t shown) { return shown != 0; })) {
    std::map<int, std::uint32_t> numbers;
    for (std::size_t i = 0; i < round.cost.ranks.size(); ++i) {
      const int node = costs.node_of(round.cost.ranks[i]);
      const auto [number, is_new] =
          numbers.try_emplace(node, static_cast<std::uint32_t>(nodes_.size()));
      if (is_new) nodes_.emplace_back();
      Node& there = nodes_[number->second];
      const bool is_first = there.members.empty();
      there.members.push_back(i);
      there.entered =
          std::max(there.entered, round.entered[i] + (is_first ? 0 : costs.on_node.latency()));
    }
    for (Node& node : nodes_) node.processor_free = node.entered;
  }

  std::vector<Picoseconds> times() {
    const auto count = static_cast<std::uint32_t>(nodes_.size());
    const auto how = count <= direct_max ? team::Telling::directly : team::Telling::by_tree;
    if (how == team::Telling::directly) {
      for (std::uint32_t node = 0; node < count; ++node)
        for (const NodeEdge& edge : team::edges_of(node, count, how)) tell(node, edge);
    } else {
      // Up the tree, from the highest on, and down again: a parent's number is lower.
      for (std::uint32_t node = count; node-- > 1;) tell(node, edges(node).front());
      for (std::uint32_t node = 0; node < count; ++node)
        for (const NodeEdge& edge : edges(node))
          if (edge.node > node) tell(node, edge);
    }
    std::vector<Picoseconds> left(round_.cost.ranks.size());
    for (const Node& node : nodes_) {
      Picoseconds all = node.entered;
      for (const auto& [other, at] : node.heard) all = std::max(all, at);
      for (const std::size_t member : node.members)
        left[member] = all + (member == node.members.front() ? 0 : costs_.on_node.latency());
    }
    return left;
  }

 private:
  [[nodiscard]] std::vector<NodeEdge> edges(std::uint32_t node) const {
    return team::edges_of(node, static_cast<std::uint32_t>(nodes_.size()), team::Telling::by_tree);
  }
  /// A node tells the other, once it has heard of all that from elsewhere.
  void tell(std::uint32_t from, const NodeEdge& edge) {
    const LogGP& cost = costs_.between_nodes;
    Node& here = nodes_[from];
    Picoseconds ready = here.entered;
    if (nodes_.size() > direct_max)
      for (const auto& [other, at] : here.heard)
        if (other != edge.node) ready = std::max(ready, at);
    here.processor_free = std::max(here.processor_free, ready) + cost.overhead();
    const Picoseconds leaves = std::max(here.processor_free, here.out_free);
    const Picoseconds on_wire = cost.bytes(bytes(edge));
    here.out_free = leaves + std::max(on_wire, cost.gap());
    nodes_[edge.node].heard[from] = leaves + on_wire + cost.latency() + cost.overhead();
  }
  [[nodiscard]] bool holds(NodeRange range, std::size_t member) const {
    return any_of(range, [&](std::size_t one) { return one == member; });
  }
  template <class Is>
  bool any_of(NodeRange range, Is&& is) const {
    for (std::uint32_t i = 0; i < range.count; ++i)
      for (const std::size_t member : nodes_[(range.first + i) % nodes_.size()].members)
        if (is(member)) return true;
    return false;
  }
  [[nodiscard]] std::size_t bytes(const NodeEdge& edge) const {
    // Each edge down the tree tells of nearly all members: not worth a look at them for nothing.
    if (!shows_bytes_) return record_bytes;
    using Reads = wait::RoundCost::Reads;
    const Reads reads = round_.cost.reads;
    const std::size_t members = round_.cost.ranks.size();
    std::size_t total = 0;
    any_of(edge.tells, [&](std::size_t member) {
      std::size_t shown = round_.shown[member];
      if (shown == 0) return false;
      if (reads == Reads::what_root_reads && !holds(edge.reaches, round_.cost.root)) shown = 0;
      if (reads == Reads::own_blocks) shown = shown * edge.reaches.count / nodes_.size();
      (void)members;
      total += record_bytes + shown;
      return false;
    });
    return total == 0 ? record_bytes : total;
  }

  const RoundTimes& round_;
  const NetworkCosts& costs_;
  const bool shows_bytes_;  // some member does
  std::vector<Node> nodes_;
};

}  // namespace

std::vector<Picoseconds> times_of_round(const RoundTimes& round, const NetworkCosts& costs) {
  return Round(round, costs).times();
}

}  // namespace armature::simulation
