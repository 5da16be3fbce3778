#include "command/run/near_partners.hpp"

#include <algorithm>
#include <cstddef>
#include <tuple>

namespace armature::command {
namespace {

using ProcessNumber = std::size_t;

std::size_t number_of_nodes(const NodesOfProcesses& nodes) {
  return nodes.empty() ? 0 : static_cast<std::size_t>(*std::ranges::max_element(nodes)) + 1;
}

/// Fills one node after the other.
class NodeByNode {
 public:
  explicit NodeByNode(const ProcessLinks& links)
      : links_(links), nodes_(links.size(), -1), here_(links.size()), placed_(links.size()) {}

  void fill(int node, std::ptrdiff_t places) {
    std::ranges::fill(here_, 0);
    for (; places > 0; --places) take(best(), node);
  }
  [[nodiscard]] const NodesOfProcesses& nodes() const { return nodes_; }

 private:
  /// The one with most links to this node, else to those before, so that chains go on where they
  /// were left.
  [[nodiscard]] ProcessNumber best() const {
    ProcessNumber found = nodes_.size();
    for (ProcessNumber process = 0; process < nodes_.size(); ++process)
      if (nodes_[process] < 0 &&
          (found == nodes_.size() ||
           std::tie(here_[process], placed_[process]) > std::tie(here_[found], placed_[found])))
        found = process;
    return found;
  }
  void take(ProcessNumber process, int node) {
    nodes_[process] = node;
    for (ProcessNumber other = 0; other < nodes_.size(); ++other) {
      here_[other] += links_[process][other];
      placed_[other] += links_[process][other];
    }
  }

  const ProcessLinks& links_;
  NodesOfProcesses nodes_;
  std::vector<std::int64_t> here_, placed_;  // links with this node, with all so far
};

/// Lets two processes change places where that gains something.
class Exchanges {
 public:
  Exchanges(const ProcessLinks& links, NodesOfProcesses nodes)
      : links_(links),
        nodes_(std::move(nodes)),
        to_(links.size(), std::vector<std::int64_t>(number_of_nodes(nodes_))) {
    for (ProcessNumber process = 0; process < nodes_.size(); ++process)
      for (ProcessNumber other = 0; other < nodes_.size(); ++other)
        to_[process][node(other)] += links_[process][other];
  }

  NodesOfProcesses all() {
    constexpr int rounds_max = 100;
    for (int round = 0; round < rounds_max && has_gained_; ++round) {
      has_gained_ = false;
      for (ProcessNumber process = 0; process < nodes_.size(); ++process) exchange(process);
    }
    return nodes_;
  }

 private:
  [[nodiscard]] std::size_t node(ProcessNumber process) const {
    return static_cast<std::size_t>(nodes_[process]);
  }
  [[nodiscard]] std::int64_t gain(ProcessNumber one, ProcessNumber other) const {
    return to_[one][node(other)] - to_[one][node(one)] + to_[other][node(one)] -
           to_[other][node(other)] - 2 * links_[one][other];
  }
  void exchange(ProcessNumber process) {
    std::int64_t most = 0;
    ProcessNumber with = process;
    for (ProcessNumber other = 0; other < nodes_.size(); ++other) {
      if (nodes_[other] == nodes_[process]) continue;
      const std::int64_t gained = gain(process, other);
      if (gained > most) std::tie(most, with) = std::tuple(gained, other);
    }
    if (most == 0) return;
    has_gained_ = true;
    for (ProcessNumber other = 0; other < nodes_.size(); ++other) {
      const std::int64_t difference = links_[other][process] - links_[other][with];
      to_[other][node(with)] += difference;
      to_[other][node(process)] -= difference;
    }
    std::swap(nodes_[process], nodes_[with]);
  }

  const ProcessLinks& links_;
  NodesOfProcesses nodes_;
  std::vector<std::vector<std::int64_t>> to_;  // of each process, to each node
  bool has_gained_ = true;
};

}  // namespace

std::int64_t bytes_between_nodes(const ProcessLinks& links, const NodesOfProcesses& nodes) {
  std::int64_t bytes = 0;
  for (ProcessNumber one = 0; one < nodes.size(); ++one)
    for (ProcessNumber other = one + 1; other < nodes.size(); ++other)
      if (nodes[one] != nodes[other]) bytes += links[one][other];
  return bytes;
}

NodesOfProcesses near_partners(const ProcessLinks& links, const NodesOfProcesses& begin) {
  NodesOfProcesses best = Exchanges(links, begin).all();
  NodeByNode by_node(links);
  for (int node = 0; node < static_cast<int>(number_of_nodes(begin)); ++node)
    by_node.fill(node, std::ranges::count(begin, node));
  const NodesOfProcesses filled = Exchanges(links, by_node.nodes()).all();
  if (bytes_between_nodes(links, filled) < bytes_between_nodes(links, best)) best = filled;
  return best;
}

}  // namespace armature::command
