#include "shares.hpp"

#include <algorithm>
#include <stdexcept>

namespace mg {
namespace {

// Levels up to this one are one rank's, where there are not so many ranks that it must be more.
constexpr int coarsest_shared_min = 3;

// The longest strides are cut first: their faces lie together in memory.
Triple split(int ranks) {
  Triple shape{1, 1, 1};
  for (int axis = axis_z; ranks > 1; ranks /= 2, axis = (axis + 2) % 3) {
    if (ranks % 2 != 0) throw std::invalid_argument("the number of ranks must be a power of two");
    shape[axis] *= 2;
  }
  return shape;
}

int choose_coarsest(int finest, const Triple& shape) {
  int level = std::min(coarsest_shared_min, finest - 1);
  while ((1 << level) < *std::max_element(shape.begin(), shape.end())) ++level;
  if (level >= finest) throw std::invalid_argument("too many ranks for this problem class");
  return level;
}

}  // namespace

Shares::Shares(int ranks, int finest)
    : finest_(finest), shape_(split(ranks)), coarsest_(choose_coarsest(finest, shape_)) {}

Triple Shares::extent(int level) const {
  Triple cells{};
  for (int a = 0; a < 3; ++a) cells[a] = (1 << level) / shape_[a];
  return cells;
}

// Ranks are numbered like cells: x fastest.
Triple Shares::position(int rank) const {
  return {rank % shape_[0], rank / shape_[0] % shape_[1], rank / shape_[0] / shape_[1]};
}

Box Shares::box(int level, int rank) const {
  Box box{.origin = position(rank), .extent = extent(level)};
  for (int a = 0; a < 3; ++a) box.origin[a] *= box.extent[a];
  return box;
}

int Shares::neighbour(int rank, int axis, int step) const {
  Triple place = position(rank);
  place[axis] = (place[axis] + step + shape_[axis]) % shape_[axis];
  return place[0] + shape_[0] * (place[1] + shape_[1] * place[2]);
}

}  // namespace mg
