#include "graph_part.hpp"

#include <span>

namespace scc {
namespace {

// Takes in the edges of a rank's vertices.
class EdgeReceiver {
 public:
  void add(Vertex mine, Direction direction, Vertex neighbour) {
    edges_[index(direction)].push_back({mine, neighbour});
  }

  NeighbourLists lists(const Dealing& dealing, Direction direction) const {
    std::vector<std::uint32_t> room(dealing.own());
    for (const Edge& edge : edges_[index(direction)]) ++room[dealing.place(edge.mine)];
    NeighbourLists lists(room);
    for (const Edge& edge : edges_[index(direction)]) {
      lists.add(dealing.place(edge.mine), edge.neighbour);
    }
    return lists;
  }

 private:
  struct Edge {
    Vertex mine;
    Vertex neighbour;
  };
  std::array<std::vector<Edge>, 2> edges_;
};

}  // namespace

GraphPart distribute(armature::World& world, const DirectedGraph* whole) {
  GraphPart part;
  part.dealing.vertices = broadcast(world, whole != nullptr ? whole->vertices() : Vertex{0}, 0);
  part.dealing.ranks = static_cast<std::uint32_t>(world.size());
  part.dealing.me = static_cast<std::uint32_t>(world.rank());

  armature::shared<EdgeReceiver> receiver(world);
  for (Vertex from = 0; whole != nullptr && from < whole->vertices(); ++from) {
    for (const Vertex to : whole->of(from)) {
      receiver.async(part.dealing.owner(from), &EdgeReceiver::add, from, Direction::forward, to);
      receiver.async(part.dealing.owner(to), &EdgeReceiver::add, to, Direction::backward, from);
    }
  }
  armature::rmi_fence();
  for (const Direction direction : both_directions) {
    part.neighbours[index(direction)] = receiver->lists(part.dealing, direction);
  }
  return part;
}

std::vector<Vertex> gather(armature::World& world, const Dealing& dealing,
                           const std::vector<Vertex>& mine) {
  // Equal blocks: some ranks own one vertex less.
  std::vector<Vertex> block(mine);
  block.resize(dealing.own_max());
  std::vector<Vertex> blocks(block.size() * dealing.ranks);
  allgather(world, std::span<const Vertex>(block), std::span(blocks));
  std::vector<Vertex> all(dealing.vertices);
  for (Vertex v = 0; v < dealing.vertices; ++v) {
    all[v] = blocks[static_cast<std::size_t>(dealing.owner(v)) * block.size() + dealing.place(v)];
  }
  return all;
}

}  // namespace scc
