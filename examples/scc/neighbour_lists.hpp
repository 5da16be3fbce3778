// The neighbours of a rank's own vertices on one side: those its edges lead to, or come from.
//
// Each list has room for as many as it may ever hold, so that adding one never allocates.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "directed_graph.hpp"

namespace scc {

class NeighbourLists {
 public:
  NeighbourLists() = default;
  // room[i] is how many neighbours list i can hold. All are empty at first.
  explicit NeighbourLists(const std::vector<std::uint32_t>& room) : lists_(room.size()) {
    std::size_t begin = 0;
    for (std::size_t i = 0; i < room.size(); ++i) {
      lists_[i].begin = begin;
      begin += room[i];
    }
    neighbours_.resize(begin);
  }

  std::span<const Vertex> of(std::size_t i) const {
    return {neighbours_.data() + lists_[i].begin, lists_[i].count};
  }
  std::uint32_t count(std::size_t i) const { return lists_[i].count; }
  void add(std::size_t i, Vertex neighbour) {
    neighbours_[lists_[i].begin + lists_[i].count++] = neighbour;
  }
  void clear(std::size_t i) { lists_[i].count = 0; }

 private:
  struct List {
    std::size_t begin = 0;
    std::uint32_t count = 0;
  };
  std::vector<List> lists_;
  std::vector<Vertex> neighbours_;
};

}  // namespace scc
