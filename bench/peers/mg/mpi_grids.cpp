#include "mpi_grids.hpp"

#include <mpi.h>

#include <cstddef>
#include <string>

namespace mg {
namespace {

constexpr int root = 0;

int rank_in_world() {
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  return rank;
}
int size_of_world() {
  int size = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  return size;
}

/// Visits each row of the box: where it begins in the grid, and how many cells it has.
template <class Visit>
void for_each_row_of(Grid grid, Triple first, Triple extent, Visit visit) {
  for (int z = 0; z < extent[2]; ++z)
    for (int y = 0; y < extent[1]; ++y)
      visit(grid.data() + grid.offset({first[0], first[1] + y, first[2] + z}), extent[0]);
}

void pack(double* to, Grid grid, Triple first, Triple extent) {
  for_each_row_of(grid, first, extent, [&](const double* row, int cells) {
    for (int x = 0; x < cells; ++x) *to++ = row[x];
  });
}
void unpack(const double* from, Grid grid, Triple first, Triple extent) {
  for_each_row_of(grid, first, extent, [&](double* row, int cells) {
    for (int x = 0; x < cells; ++x) row[x] = *from++;
  });
}

int volume(Triple extent) { return extent[0] * extent[1] * extent[2]; }

Triple behind_ghosts(Triple cell) { return {cell[0] + 1, cell[1] + 1, cell[2] + 1}; }
Triple with_ghosts(Triple extent) { return {extent[0] + 2, extent[1] + 2, extent[2] + 2}; }

}  // namespace

MpiGrids::MpiGrids(const ProblemClass& problem)
    : me_(rank_in_world()),
      ranks_(size_of_world()),
      shares_(ranks_, problem.levels),
      memory_(levels_footprint(coarsest(), problem.levels, shares_.extent(problem.levels))),
      levels_(
          carve_levels(memory_.data(), coarsest(), problem.levels, shares_.extent(problem.levels))),
      root_memory_(WholeGrids::footprint(coarsest())),
      root_(root_memory_.data(), coarsest(), problem.smoother) {
  const auto largest = static_cast<std::size_t>(problem.edge()) + 2;
  for (auto* buffers : {send_, receive_})
    for (int side : {0, 1}) buffers[side].resize(largest * largest);
}

double MpiGrids::sum(double mine) const {
  double all = 0;
  MPI_Allreduce(&mine, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  return all;
}

void MpiGrids::exchange(Grid grid) {
  for (int axis : {axis_x, axis_y, axis_z}) {
    if (shares_.shape()[axis] == 1) {
      wrap(grid, axis);
    } else {
      exchange_along(grid, axis);
    }
  }
}

void MpiGrids::exchange_along(Grid grid, int axis) {
  const Face face = face_of(grid, axis);
  const int cells = volume(face.extent());
  const int n = grid.interior()[axis];
  MPI_Request requests[4];
  // A message is named by the way it goes: the two neighbours may be one rank.
  for (int side : {0, 1}) {
    const int from = shares_.neighbour(me_, axis, side == 0 ? -1 : +1);
    MPI_Irecv(receive_[side].data(), cells, MPI_DOUBLE, from, 1 - side, MPI_COMM_WORLD,
              &requests[side]);
  }
  for (int side : {0, 1}) {
    Triple first = face.first;
    first[axis] = side == 0 ? 1 : n;
    pack(send_[side].data(), grid, first, face.extent());
    const int to = shares_.neighbour(me_, axis, side == 0 ? -1 : +1);
    MPI_Isend(send_[side].data(), cells, MPI_DOUBLE, to, side, MPI_COMM_WORLD, &requests[2 + side]);
  }
  MPI_Waitall(4, requests, MPI_STATUSES_IGNORE);
  for (int side : {0, 1}) {
    Triple first = face.first;
    first[axis] = side == 0 ? 0 : n + 1;
    unpack(receive_[side].data(), grid, first, face.extent());
  }
}

void MpiGrids::solve_coarsest() {
  const int k = coarsest();
  const Level mine = level(k), whole = root_.level(k);
  const Triple extent = shares_.extent(k), ghosts = with_ghosts(extent);
  const int cells = volume(extent), ghost_cells = volume(ghosts);
  std::vector<double> part(static_cast<std::size_t>(ghost_cells));
  std::vector<double> parts(me_ == root ? part.size() * static_cast<std::size_t>(ranks_) : 0);

  pack(part.data(), mine.r, {1, 1, 1}, extent);
  MPI_Gather(part.data(), cells, MPI_DOUBLE, parts.data(), cells, MPI_DOUBLE, root, MPI_COMM_WORLD);
  if (me_ == root) {
    for (int rank = 0; rank < ranks_; ++rank)
      unpack(parts.data() + std::ptrdiff_t{rank} * cells, whole.r,
             behind_ghosts(shares_.box(k, rank).origin), extent);
    clear(whole.u);
    run_v_cycle(root_, k, whole.r);
    for (int rank = 0; rank < ranks_; ++rank)
      pack(parts.data() + std::ptrdiff_t{rank} * ghost_cells, whole.u, shares_.box(k, rank).origin,
           ghosts);
  }
  MPI_Scatter(parts.data(), ghost_cells, MPI_DOUBLE, part.data(), ghost_cells, MPI_DOUBLE, root,
              MPI_COMM_WORLD);
  unpack(part.data(), mine.u, {0, 0, 0}, ghosts);
}

}  // namespace mg
