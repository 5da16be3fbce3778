#pragma once

#include <vector>

#include "space/mapping.hpp"

namespace armature::net {

/// The place of a process among the first processes of all nodes, which are a tree by their nodes'
/// numbers. A process that is not the first of its node has no place.
struct NodeTree {
  bool is_first = false;      // of its node
  int parent = -1;            // -1: none
  std::vector<int> children;  // at most `width`

  static constexpr int width = 4;

  NodeTree() = default;
  NodeTree(const space::Mapping& mapping, int process);

  /// The parent and the children.
  [[nodiscard]] std::vector<int> neighbours() const;
};

}  // namespace armature::net
