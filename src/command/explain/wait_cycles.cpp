#include "command/explain/wait_cycles.hpp"

#include <algorithm>
#include <cstddef>

namespace armature::command {
namespace {

/// Tarjan's algorithm with an explicit stack: a chain of waiting ranks may be long.
class Components {
 public:
  explicit Components(const std::vector<std::vector<int>>& edges)
      : edges_(edges),
        number_(edges.size(), 0),
        low_(edges.size(), 0),
        open_(edges.size(), false) {}

  std::vector<std::vector<int>> all() {
    for (int rank = 0; rank < static_cast<int>(edges_.size()); ++rank) {
      if (number_[at(rank)] == 0) visit(rank);
    }
    return std::move(found_);
  }

 private:
  struct Step {
    int rank;
    std::size_t next_edge;
  };

  static std::size_t at(int rank) { return static_cast<std::size_t>(rank); }

  void enter(int rank) {
    number_[at(rank)] = low_[at(rank)] = ++count_;
    open_[at(rank)] = true;
    path_.push_back(rank);
    steps_.push_back({rank, 0});
  }

  void visit(int start) {
    enter(start);
    while (!steps_.empty()) {
      Step& step = steps_.back();
      const int rank = step.rank;
      if (step.next_edge < edges_[at(rank)].size()) {
        const int target = edges_[at(rank)][step.next_edge++];
        if (number_[at(target)] == 0) {
          enter(target);
        } else if (open_[at(target)]) {
          low_[at(rank)] = std::min(low_[at(rank)], number_[at(target)]);
        }
        continue;
      }
      steps_.pop_back();
      if (!steps_.empty()) {
        const int parent = steps_.back().rank;
        low_[at(parent)] = std::min(low_[at(parent)], low_[at(rank)]);
      }
      if (low_[at(rank)] == number_[at(rank)]) close(rank);
    }
  }

  void close(int root) {
    std::vector<int> component;
    for (int rank = -1; rank != root;) {
      rank = path_.back();
      path_.pop_back();
      open_[at(rank)] = false;
      component.push_back(rank);
    }
    std::sort(component.begin(), component.end());
    found_.push_back(std::move(component));
  }

  const std::vector<std::vector<int>>& edges_;
  std::vector<int> number_, low_;
  std::vector<bool> open_;
  std::vector<int> path_;
  std::vector<Step> steps_;
  std::vector<std::vector<int>> found_;
  int count_ = 0;
};

std::vector<int> ranks_in(const std::vector<bool>& found, std::size_t ranks) {
  std::vector<int> result;
  for (std::size_t rank = 0; rank < ranks; ++rank)
    if (found[rank]) result.push_back(static_cast<int>(rank));
  return result;
}

}  // namespace

std::vector<std::vector<int>> wait_cycles(const WaitGraph& graph) {
  std::vector<std::vector<int>> result;
  for (auto& component : Components(graph.edges).all()) {
    const auto& first = graph.edges[static_cast<std::size_t>(component.front())];
    const bool waits_for_itself =
        std::find(first.begin(), first.end(), component.front()) != first.end();
    if (component.size() == 1 && !waits_for_itself) continue;
    std::erase_if(component, [&](int node) { return node >= graph.ranks; });
    result.push_back(std::move(component));
  }
  std::sort(result.begin(), result.end());
  return result;
}

Waiting::Waiting(const WaitGraph& graph)
    : ranks_(static_cast<std::size_t>(graph.ranks)), edges_(graph.edges.size()) {
  for (std::size_t node = 0; node < graph.edges.size(); ++node)
    for (int target : graph.edges[node])
      edges_[static_cast<std::size_t>(target)].push_back(static_cast<int>(node));
}

std::vector<int> Waiting::directly(const std::vector<int>& goals) const {
  std::vector<bool> found(edges_.size(), false);
  for (int goal : goals)
    for (int node : next_to(goal)) found[static_cast<std::size_t>(node)] = true;
  for (std::size_t meeting = ranks_; meeting < edges_.size(); ++meeting)
    if (found[meeting])
      for (int rank : edges_[meeting]) found[static_cast<std::size_t>(rank)] = true;
  return ranks_in(found, ranks_);
}

std::vector<int> Waiting::at_all(const std::vector<int>& goals) const {
  std::vector<bool> found(edges_.size(), false);
  for (int goal : goals) found[static_cast<std::size_t>(goal)] = true;
  std::vector<int> ahead = goals;
  while (!ahead.empty()) {
    const int node = ahead.back();
    ahead.pop_back();
    for (int next : next_to(node)) {
      if (found[static_cast<std::size_t>(next)]) continue;
      found[static_cast<std::size_t>(next)] = true;
      ahead.push_back(next);
    }
  }
  for (int goal : goals) found[static_cast<std::size_t>(goal)] = false;
  return ranks_in(found, ranks_);
}

}  // namespace armature::command
