#include "bootstrap/process_mapping.hpp"

#include <charconv>
#include <cstddef>
#include <utility>

namespace armature::bootstrap {
namespace {

struct Block {
  int first = 0, nodes = 0, processes = 0;  // these on each of those
};

/// Takes "(0,2,4)" from the front; false when it is not there.
bool take(std::string_view& text, Block& block) {
  for (const auto& [number, before] :
       {std::pair{&block.first, '('}, {&block.nodes, ','}, {&block.processes, ','}}) {
    if (!text.starts_with(before)) return false;
    text.remove_prefix(1);
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), *number);
    if (error != std::errc()) return false;
    text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  }
  if (!text.starts_with(')')) return false;
  text.remove_prefix(1);
  return block.nodes > 0 && block.processes > 0;
}

}  // namespace

std::vector<int> processes_on_node_of(int process, int processes, std::string_view mapping) {
  constexpr std::string_view begin = "(vector";
  if (!mapping.starts_with(begin)) return {};
  mapping.remove_prefix(begin.size());
  std::vector<Block> blocks;
  for (Block block; mapping.starts_with(','); blocks.push_back(block)) {
    mapping.remove_prefix(1);
    if (!take(mapping, block)) return {};
  }
  if (mapping != ")" || blocks.empty()) return {};

  std::vector<int> node_of;
  const auto all = static_cast<std::size_t>(processes);
  while (node_of.size() < all)
    for (const Block& block : blocks)
      for (int node = 0; node < block.nodes && node_of.size() < all; ++node)
        for (int i = 0; i < block.processes && node_of.size() < all; ++i)
          node_of.push_back(block.first + node);
  std::vector<int> here;
  for (int other = 0; other < processes; ++other)
    if (node_of[static_cast<std::size_t>(other)] == node_of[static_cast<std::size_t>(process)])
      here.push_back(other);
  return here;
}

}  // namespace armature::bootstrap
