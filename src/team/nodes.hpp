#pragma once

#include <cstdint>
#include <vector>

#include "space/mapping.hpp"
#include "space/team_block.hpp"

// How news of a team's members travels between nodes. Few nodes tell each other directly: one hop.
// Of many, that is too many messages: n (n - 1) for each round. These form a tree, in which a node
// tells its parent when it has heard of all below it, and its children when it has heard of all
// others: 2 (n - 1) messages, and twice as many hops as the tree is deep.
//
// The tree is binomial, as then all below a node are neighbours in the numbering, and so are, going
// round, all others: what is told is a range.

namespace armature::team {

/// Nodes of a team, which are numbered in the order of their first members; going round.
struct NodeRange {
  std::uint32_t first = 0;
  std::uint32_t count = 0;
  bool operator==(const NodeRange&) const = default;
};

/// An edge by which a node tells another one of nodes. It tells of the nodes in `tells` once it has
/// heard of all of them. It reaches the nodes in `reaches`: the other one, and those that hear of
/// it by the other one.
struct NodeEdge {
  std::uint32_t node = 0;
  NodeRange tells;
  NodeRange reaches;
  bool operator==(const NodeEdge&) const = default;
};

enum class Telling { directly, by_tree };
[[nodiscard]] std::vector<NodeEdge> edges_of(std::uint32_t node, std::uint32_t nodes, Telling how);

/// The nodes of one team, as one of them sees them.
class Nodes {
 public:
  Nodes(space::TeamBlock& block, const space::Mapping& mapping);

  [[nodiscard]] std::uint32_t size() const { return static_cast<std::uint32_t>(members_.size()); }
  /// This one; size() when the team has no member here.
  [[nodiscard]] std::uint32_t here() const { return here_; }
  /// Numbers of members, growing.
  [[nodiscard]] const std::vector<std::uint32_t>& members(std::uint32_t node) const {
    return members_[node];
  }
  /// The process that is told of what happens on a node: its first member's.
  [[nodiscard]] int process(std::uint32_t node) const { return processes_[node]; }
  [[nodiscard]] const std::vector<NodeEdge>& edges() const { return edges_; }

  /// Whether all nodes of a range exist.
  [[nodiscard]] bool holds(NodeRange range) const {
    return range.first < size() && range.count <= size();
  }
  /// Members on them, as runs [begin, end) of such as follow each other, growing.
  struct Run {
    std::uint32_t begin, end;
  };
  [[nodiscard]] std::vector<Run> runs(NodeRange range) const;
  /// Whether that member is on one of them.
  [[nodiscard]] bool holds(NodeRange range, std::uint32_t member) const;
  template <class Do>
  void for_each_member(NodeRange range, Do&& act) const {
    for (std::uint32_t i = 0; i < range.count; ++i)
      for (const std::uint32_t member : members_[(range.first + i) % size()]) act(member);
  }

 private:
  std::vector<std::vector<std::uint32_t>> members_;
  std::vector<int> processes_;
  std::uint32_t here_ = 0;
  std::vector<NodeEdge> edges_;
};

}  // namespace armature::team
