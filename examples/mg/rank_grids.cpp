#include "rank_grids.hpp"

#include <algorithm>
#include <stdexcept>
#include <string>

namespace mg {
namespace {

constexpr int root = 0;
// Levels up to this one are rank 0's, where there are not so many ranks that it must be more.
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

Triple share_of(int level, const Triple& shape) {
  Triple interior{};
  for (int a = 0; a < 3; ++a) interior[a] = (1 << level) / shape[a];
  return interior;
}

int choose_coarsest(int finest, const Triple& shape) {
  int level = std::min(coarsest_shared_min, finest - 1);
  while ((1 << level) < *std::max_element(shape.begin(), shape.end())) ++level;
  if (level >= finest) throw std::invalid_argument("too many ranks for this problem class");
  return level;
}

// A box of cells as the shape of a transfer between two grids.
class BoxShape {
 public:
  BoxShape(Grid to, Grid from, Triple cells)
      : counts_{static_cast<std::size_t>(cells[0]) * sizeof(double),
                static_cast<std::size_t>(cells[1]), static_cast<std::size_t>(cells[2])},
        to_strides_{bytes(to, axis_y), bytes(to, axis_z)},
        from_strides_{bytes(from, axis_y), bytes(from, axis_z)} {}

  operator armature::Strided() const { return {counts_, to_strides_, from_strides_}; }

 private:
  static std::ptrdiff_t bytes(Grid grid, int axis) {
    return grid.stride(axis) * std::ptrdiff_t{sizeof(double)};
  }

  std::size_t counts_[3];
  std::ptrdiff_t to_strides_[2];
  std::ptrdiff_t from_strides_[2];
};

}  // namespace

RankGrids::RankGrids(armature::World& world, int finest)
    : world_(world),
      finest_(finest),
      shape_(split(world.size())),
      coarsest_(choose_coarsest(finest, shape_)),
      piece_(world.allocate<double>(levels_footprint(coarsest_, finest, share_of(finest, shape_)))),
      levels_(carve_levels(piece_.local().data(), coarsest_, finest, share_of(finest, shape_))),
      root_piece_(
          world.allocate<double>(world.rank() == root ? WholeGrids::footprint(coarsest_) : 0)),
      root_(root_piece_.on(root).address(), coarsest_) {}

// Ranks are numbered like cells: x fastest.
Triple RankGrids::position(int rank) const {
  return {rank % shape_[0], rank / shape_[0] % shape_[1], rank / shape_[0] / shape_[1]};
}

Box RankGrids::box(int k) const {
  Box box{.origin = position(world_.rank()), .extent = share_of(k, shape_)};
  for (int a = 0; a < 3; ++a) box.origin[a] *= box.extent[a];
  return box;
}

armature::Rank RankGrids::neighbour(int axis, int step) const {
  Triple place = position(world_.rank());
  place[axis] = (place[axis] + step + shape_[axis]) % shape_[axis];
  return place[0] + shape_[0] * (place[1] + shape_[1] * place[2]);
}

// Puts my outermost interior cells on one side into the ghosts of the neighbour there. All boxes of
// a level are alike, so a cell's place in the neighbour's piece is its place in mine.
void RankGrids::put_face(Grid grid, int axis, int step) const {
  const int n = grid.interior()[axis];
  const Face face = face_of(grid, axis);
  Triple from = face.first;
  Triple to = face.first;
  from[axis] = step > 0 ? n : 1;
  to[axis] = step > 0 ? 0 : n + 1;
  const auto grid_start = grid.data() - piece_.local().data();
  armature::put_strided_nbi(piece_.on(neighbour(axis, step)) + grid_start + grid.offset(to),
                            grid.data() + grid.offset(from), BoxShape(grid, grid, face.extent()));
}

// A neighbour that is ahead of me may write my ghosts before I call this; v_cycle.hpp says why they
// are not in use. It cannot be further ahead than that: it has waited for my previous exchange.
void RankGrids::exchange(Grid grid) const {
  for (int axis : {axis_x, axis_y, axis_z}) {
    if (shape_[axis] == 1) {
      wrap(grid, axis);
      continue;
    }
    put_face(grid, axis, -1);
    put_face(grid, axis, +1);
    armature::wait_all();
    for (int step : {-1, +1}) armature::notify(neighbour(axis, step));
    for (int step : {-1, +1}) armature::wait_notify(neighbour(axis, step));
  }
}

void RankGrids::solve_coarsest() const {
  const Level mine = level(coarsest_);
  const Level whole = root_.level(coarsest_);
  const Box part = box(coarsest_);
  const armature::global_ptr<double> residual(root, whole.r.data());
  const armature::global_ptr<double> correction(root, whole.u.data());

  Triple first = part.origin;
  for (int& cell : first) ++cell;  // behind the ghosts
  armature::put_strided_nbi(residual + whole.r.offset(first),
                            mine.r.data() + mine.r.offset({1, 1, 1}),
                            BoxShape(whole.r, mine.r, part.extent));
  armature::wait_all();
  armature::notify(root);
  if (world_.rank() == root) {
    for (int rank = 0; rank < world_.size(); ++rank) armature::wait_notify(rank);
    clear(whole.u);
    run_v_cycle(root_, coarsest_, whole.r);
    for (int rank = 0; rank < world_.size(); ++rank) armature::notify(rank);
  }
  armature::wait_notify(root);

  Triple with_ghosts = part.extent;
  for (int& cells : with_ghosts) cells += 2;
  armature::get_strided(mine.u.data(), correction + whole.u.offset(part.origin),
                        BoxShape(mine.u, whole.u, with_ghosts));
}

}  // namespace mg
