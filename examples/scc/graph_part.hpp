// A graph over all ranks: each vertex has an owner, which knows its neighbours on both sides.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <armature/armature.hpp>

#include "directed_graph.hpp"
#include "neighbour_lists.hpp"
#include "partition.hpp"

namespace scc {

enum class Direction : std::uint8_t { forward, backward };

inline constexpr std::array both_directions = {Direction::forward, Direction::backward};
constexpr Direction opposite(Direction direction) {
  return direction == Direction::forward ? Direction::backward : Direction::forward;
}
constexpr std::size_t index(Direction direction) { return static_cast<std::size_t>(direction); }

// Vertices are dealt out to their owners like cards, one to each rank in turn. Neighbours in number
// (packages that begin alike) are then spread over all ranks, and so is the work.
struct Dealing {
  Vertex vertices = 0;
  std::uint32_t ranks = 1;
  std::uint32_t me = 0;

  armature::Rank owner(Vertex v) const { return armature::Rank(v % ranks); }
  // The place of one of the owner's vertices among them, and back.
  std::size_t place(Vertex v) const { return v / ranks; }
  Vertex vertex(std::size_t place) const { return static_cast<Vertex>(place) * ranks + me; }
  // How many vertices this rank owns, and how many any rank owns at most.
  std::size_t own() const { return (vertices + ranks - 1 - me) / ranks; }
  std::size_t own_max() const { return (std::size_t{vertices} + ranks - 1) / ranks; }
};

struct GraphPart {
  Dealing dealing;
  std::array<NeighbourLists, 2> neighbours;  // [index(direction)][place]
};

// Collective; `whole` is the graph at rank 0, and null at the others. Rank 0 tells each edge to the
// owners of both its ends, by one remote call each.
GraphPart distribute(armature::World& world, const DirectedGraph* whole);

// Collective; mine[place] belongs to each rank's own vertices; all[vertex], everywhere.
std::vector<Vertex> gather(armature::World& world, const Dealing& dealing,
                           const std::vector<Vertex>& mine);

}  // namespace scc
