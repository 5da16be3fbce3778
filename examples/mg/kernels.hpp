// The four operators of the NAS MG benchmark and what else touches every cell. Each works on one
// box; the ghosts of what it reads must be current. Each says which ghosts it leaves stale.
#pragma once

#include "grid.hpp"

namespace mg {

/// The weights of the smoother C. Those of the corners are zero.
struct Smoother {
  double centre = 0;
  double face = 0;
  double edge = 0;
};

/// u += C r ("psinv"). Leaves u's ghosts stale.
void smooth(Grid u, Grid r, const Smoother& weights);

/// r = v - A u, A being the trilinear finite-element Laplacian ("resid"). r may be v.
/// Leaves r's ghosts stale.
void compute_residual(Grid r, Grid u, Grid v);

/// coarse = P fine, the weighted mean around every second cell ("rprj3"). Leaves coarse's ghosts
/// stale.
void project(Grid coarse, Grid fine);

/// fine += Q coarse, trilinear interpolation ("interp"). Updates fine's ghosts too.
void interpolate(Grid fine, Grid coarse);

/// Sets everything, ghosts included, to zero.
void clear(Grid grid);

/// The cells that a refresh of the ghosts in one direction carries: x first, then y, then z. Each
/// has the ghosts that the ones before it have filled, so that edges and corners get theirs too.
/// Cells first..last, where `axis` itself is left at 0..0.
struct Face {
  Triple first{};
  Triple last{};

  Triple extent() const {
    return {last[0] - first[0] + 1, last[1] - first[1] + 1, last[2] - first[2] + 1};
  }
};
Face face_of(Grid grid, int axis);

/// Refreshes the ghosts in one direction across the periodic boundary, where the grid is whole in
/// that direction ("comm3" on one rank).
void wrap(Grid grid, int axis);

double sum_of_squares(Grid grid);

}  // namespace mg
