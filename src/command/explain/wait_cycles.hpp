#pragma once

#include <vector>

namespace armature::command {

/// Ranks wait for ranks: edges[r] are those all of which must act before rank r can go on. Behind
/// the ranks stand meetings. A rank that waits for the same others as many do has an edge to the
/// meeting, and that to the others. Edges from each to each would be too many.
struct WaitGraph {
  int ranks = 0;
  std::vector<std::vector<int>> edges;
};

/// Returns the sets of ranks that wait for each other in cycles, each ascending: the strongly
/// connected components with a cycle in them.
std::vector<std::vector<int>> wait_cycles(const WaitGraph& edges);

/// The graph as seen from those who are waited for.
class Waiting {
 public:
  explicit Waiting(const WaitGraph& graph);

  /// Ranks that wait for one of `goals`; ascending.
  [[nodiscard]] std::vector<int> directly(const std::vector<int>& goals) const;
  /// All that do so, directly or through others; ascending, without the goals.
  [[nodiscard]] std::vector<int> at_all(const std::vector<int>& goals) const;
  /// Ranks and meetings with an edge to that rank. For two ranks with the same ones the same wait.
  [[nodiscard]] const std::vector<int>& next_to(int rank) const {
    return edges_[static_cast<std::size_t>(rank)];
  }

 private:
  const std::size_t ranks_;
  std::vector<std::vector<int>> edges_;  // backwards
};

}  // namespace armature::command
