#include "net/stream_gates.hpp"

#include <algorithm>

namespace armature::net {

void StreamGates::add(int rank, int other, const Limits& limits) {
  const Gate gate{rank, other, link_to(other).streams().begun(), limits};
  if (!is_open(gate)) gates_.push_back(gate);
}

StreamGates::Limits StreamGates::limits_of(int rank, int other) const {
  for (const Gate& gate : gates_)
    if (gate.rank == rank && gate.other == other && !is_open(gate)) return gate.limits;
  return {};
}

bool StreamGates::holds_back(int rank) const {
  return std::ranges::any_of(gates_,
                             [&](const Gate& gate) { return gate.rank == rank && !is_open(gate); });
}

std::vector<std::pair<int, int>> StreamGates::take_open(const transport::Link& link) {
  std::vector<std::pair<int, int>> opened;
  std::erase_if(gates_, [&](const Gate& gate) {
    if (&link_to(gate.other) != &link || !is_open(gate)) return false;
    opened.emplace_back(gate.rank, gate.other);
    return true;
  });
  return opened;
}

}  // namespace armature::net
