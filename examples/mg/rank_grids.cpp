#include "rank_grids.hpp"

namespace mg {
namespace {

constexpr int root = 0;

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

RankGrids::RankGrids(armature::World& world, const ProblemClass& problem)
    : world_(world),
      shares_(world.size(), problem.levels),
      piece_(world.allocate<double>(
          levels_footprint(coarsest(), problem.levels, shares_.extent(problem.levels)))),
      levels_(carve_levels(piece_.local().data(), coarsest(), problem.levels,
                           shares_.extent(problem.levels))),
      root_piece_(
          world.allocate<double>(world.rank() == root ? WholeGrids::footprint(coarsest()) : 0)),
      root_(root_piece_.on(root).address(), coarsest(), problem.smoother) {}

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
    if (shares_.shape()[axis] == 1) {
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
  const Level mine = level(coarsest());
  const Level whole = root_.level(coarsest());
  const Box part = box(coarsest());
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
    run_v_cycle(root_, coarsest(), whole.r);
    for (int rank = 0; rank < world_.size(); ++rank) armature::notify(rank);
  }
  armature::wait_notify(root);

  Triple with_ghosts = part.extent;
  for (int& cells : with_ghosts) cells += 2;
  armature::get_strided(mine.u.data(), correction + whole.u.offset(part.origin),
                        BoxShape(mine.u, whole.u, with_ghosts));
}

}  // namespace mg
