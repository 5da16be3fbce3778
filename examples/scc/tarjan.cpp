#include "tarjan.hpp"

#include <algorithm>
#include <cstddef>
#include <limits>
#include <vector>

namespace scc {
namespace {

constexpr Vertex unnumbered = std::numeric_limits<Vertex>::max();

class Walk {
 public:
  explicit Walk(const DirectedGraph& graph)
      : graph_(graph),
        discovered_(graph.vertices(), unnumbered),
        reaches_(graph.vertices(), unnumbered),
        component_(graph.vertices(), unnumbered) {}

  void from(Vertex root) {
    if (discovered_[root] != unnumbered) return;
    discover(root);
    while (!path_.empty()) {
      const Vertex v = path_.back().vertex;
      if (path_.back().next_edge < graph_.begin[v + 1]) {
        const Vertex target = graph_.targets[path_.back().next_edge++];
        if (discovered_[target] == unnumbered) {
          discover(target);
        } else if (component_[target] == unnumbered) {
          reaches_[v] = std::min(reaches_[v], discovered_[target]);
        }
      } else {
        leave(v);
      }
    }
  }

  const std::vector<Vertex>& component() const { return component_; }

 private:
  struct Step {
    Vertex vertex;
    std::size_t next_edge;
  };

  void discover(Vertex v) {
    discovered_[v] = reaches_[v] = count_++;
    waiting_.push_back(v);
    path_.push_back({v, graph_.begin[v]});
  }

  void leave(Vertex v) {
    path_.pop_back();
    if (!path_.empty()) {
      Vertex& before = reaches_[path_.back().vertex];
      before = std::min(before, reaches_[v]);
    }
    if (reaches_[v] != discovered_[v]) return;
    Vertex member = unnumbered;
    while (member != v) {
      member = waiting_.back();
      waiting_.pop_back();
      component_[member] = v;
    }
  }

  const DirectedGraph& graph_;
  Vertex count_ = 0;
  std::vector<Vertex> discovered_;  // when, as a number in order
  std::vector<Vertex> reaches_;     // the earliest discovered vertex known to be reachable
  std::vector<Vertex> component_;
  std::vector<Vertex> waiting_;  // discovered, without component yet
  std::vector<Step> path_;
};

}  // namespace

Partition tarjan(const DirectedGraph& graph) {
  Walk walk(graph);
  for (Vertex v = 0; v < graph.vertices(); ++v) walk.from(v);
  return named_by_smallest(walk.component());
}

}  // namespace scc
