#include "team/nodes.hpp"

#include <algorithm>
#include <map>

namespace armature::team {
namespace {

/// Up to here nodes tell each other directly.
constexpr std::uint32_t direct_max = 4;

/// How many nodes a node stands for: itself and all below it.
std::uint32_t subtree(std::uint32_t node, std::uint32_t nodes) {
  const std::uint32_t lowest_bit = node & (~node + 1);
  return node == 0 ? nodes : std::min(lowest_bit, nodes - node);
}

}  // namespace

bool Nodes::holds(NodeRange range, std::uint32_t member) const {
  for (std::uint32_t i = 0; i < range.count; ++i) {
    const auto& there = members_[(range.first + i) % size()];
    if (std::ranges::binary_search(there, member)) return true;
  }
  return false;
}

std::vector<Nodes::Run> Nodes::runs(NodeRange range) const {
  std::vector<std::uint32_t> members;
  for_each_member(range, [&](std::uint32_t member) { members.push_back(member); });
  std::ranges::sort(members);
  std::vector<Run> found;
  for (const std::uint32_t member : members) {
    if (found.empty() || found.back().end != member) found.push_back({member, member});
    ++found.back().end;
  }
  return found;
}

std::vector<NodeEdge> edges_of(std::uint32_t node, std::uint32_t nodes, Telling how) {
  std::vector<NodeEdge> edges;
  if (how == Telling::directly) {
    for (std::uint32_t other = 0; other < nodes; ++other)
      if (other != node) edges.push_back({other, {node, 1}, {other, 1}});
    return edges;
  }
  const std::uint32_t own = subtree(node, nodes);
  const std::uint32_t behind = (node + own) % nodes;
  if (node != 0) edges.push_back({node & (node - 1), {node, own}, {behind, nodes - own}});
  // The largest child first: behind it is the longest way. Halves of a subtree's power of two.
  std::uint32_t step = 1;
  while (step < own) step *= 2;
  for (step /= 2; step > 0; step /= 2) {
    if (step >= own) continue;
    const std::uint32_t child = node + step;
    const std::uint32_t below = subtree(child, nodes);
    edges.push_back({child, {(child + below) % nodes, nodes - below}, {child, below}});
  }
  return edges;
}

Nodes::Nodes(space::TeamBlock& block, const space::Mapping& mapping) {
  std::map<int, std::uint32_t> numbers;
  for (std::uint32_t i = 0; i < block.size; ++i) {
    const auto [process, node] = mapping.place_of(block.ranks()[i]);
    const auto [number, is_new] = numbers.try_emplace(node, size());
    if (is_new) {
      members_.emplace_back();
      processes_.push_back(process);
    }
    members_[number->second].push_back(i);
  }
  const auto here = numbers.find(mapping.header().node);
  here_ = here == numbers.end() ? size() : here->second;
  if (here_ == size()) return;
  // If the job goes on after deaths, nobody shall miss what a member has shown because a member
  // between them has died.
  const bool directly =
      size() <= direct_max || mapping.header().settings.on_death == space::OnDeath::go_on;
  edges_ = edges_of(here_, size(), directly ? Telling::directly : Telling::by_tree);
}

}  // namespace armature::team
