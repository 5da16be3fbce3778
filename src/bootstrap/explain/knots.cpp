#include "bootstrap/explain/knots.hpp"

#include <algorithm>
#include <cstddef>

namespace armature::bootstrap {
namespace {

/// Tarjan's algorithm with an explicit stack: a chain of waiting ranks may be long.
class Components {
 public:
  explicit Components(const WaitGraph& edges)
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

  const WaitGraph& edges_;
  std::vector<int> number_, low_;
  std::vector<bool> open_;
  std::vector<int> path_;
  std::vector<Step> steps_;
  std::vector<std::vector<int>> found_;
  int count_ = 0;
};

}  // namespace

std::vector<std::vector<int>> knots(const WaitGraph& edges) {
  std::vector<std::vector<int>> result;
  for (auto& component : Components(edges).all()) {
    const auto& first = edges[static_cast<std::size_t>(component.front())];
    const bool waits_for_itself =
        std::find(first.begin(), first.end(), component.front()) != first.end();
    if (component.size() > 1 || waits_for_itself) result.push_back(std::move(component));
  }
  std::sort(result.begin(), result.end());
  return result;
}

std::vector<int> dependents(const WaitGraph& edges, const std::vector<int>& goals) {
  std::vector<bool> reached(edges.size(), false);
  for (int goal : goals) reached[static_cast<std::size_t>(goal)] = true;
  for (bool grew = true; grew;) {
    grew = false;
    for (std::size_t rank = 0; rank < edges.size(); ++rank) {
      if (reached[rank]) continue;
      grew |= reached[rank] = std::any_of(edges[rank].begin(), edges[rank].end(), [&](int target) {
        return reached[static_cast<std::size_t>(target)];
      });
    }
  }
  std::vector<int> result;
  for (int rank = 0; rank < static_cast<int>(edges.size()); ++rank) {
    const bool is_goal = std::find(goals.begin(), goals.end(), rank) != goals.end();
    if (reached[static_cast<std::size_t>(rank)] && !is_goal) result.push_back(rank);
  }
  return result;
}

}  // namespace armature::bootstrap
