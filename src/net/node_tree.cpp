#include "net/node_tree.hpp"

#include <cstddef>

namespace armature::net {
namespace {

/// The first process of each node.
std::vector<int> first_processes(const space::Mapping& mapping) {
  std::vector<int> first(static_cast<std::size_t>(mapping.header().nodes), -1);
  for (int process = static_cast<int>(mapping.header().processes) - 1; process >= 0; --process)
    first[static_cast<std::size_t>(mapping.process_slot(process).node)] = process;
  return first;
}

}  // namespace

NodeTree::NodeTree(const space::Mapping& mapping, int process) {
  const std::vector<int> first = first_processes(mapping);
  const int node = mapping.process_slot(process).node;
  is_first = first[static_cast<std::size_t>(node)] == process;
  if (!is_first) return;
  if (node > 0) parent = first[static_cast<std::size_t>((node - 1) / width)];
  for (int i = 1; i <= width && node * width + i < std::ssize(first); ++i)
    children.push_back(first[static_cast<std::size_t>(node * width + i)]);
}

std::vector<int> NodeTree::neighbours() const {
  std::vector<int> all = children;
  if (parent >= 0) all.push_back(parent);
  return all;
}

}  // namespace armature::net
