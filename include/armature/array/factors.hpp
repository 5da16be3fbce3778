#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "armature/array/columns.hpp"
#include "armature/array/dealt_columns.hpp"
#include "armature/array/distributed_array.hpp"
#include "armature/array/panel.hpp"
#include "armature/array/schedule.hpp"
#include "armature/error.hpp"

namespace armature::detail {

/// The factors of a square matrix, by tiles of columns: what LU and Cholesky have in common.
///
/// The member that has a tile factors it and publishes it; then each updates its own columns behind
/// it. The member that has the next tile updates this one first, factors and publishes it, and only
/// then updates its other columns (look ahead): so nobody waits while a tile is factored.
template <class T>
class DealtFactors {
 public:
  DealtFactors(const DealtFactors&) = delete;
  DealtFactors& operator=(const DealtFactors&) = delete;
  DealtFactors(DealtFactors&&) noexcept = default;
  DealtFactors& operator=(DealtFactors&&) noexcept = default;

  /// Collective: x = the solutions of A x = b, for each column of b. x may be b. Throws
  /// Error(bad_argument) if b has not as many rows as the matrix, or x has another shape.
  void solve(distributed_array<T, 2>& x, const distributed_array<T, 2>& b) const {
    solve_sides(x, b, [this](const Columns<T>& mine) { solve_columns(mine); });
  }
  void solve(distributed_array<T, 1>& x, const distributed_array<T, 1>& b) const {
    require_sides(b, x.shape() == b.shape(), x.name(), x.all().section().shape_text());
    distributed_array<T, 2> both(b.team(), {b.extent(0), 1}, {.name = b.name()});
    both[{Range(), 0}] = b.all();
    solve(both, both);
    x.all() = both[{Range(), 0}];
  }

 protected:
  DealtFactors(const distributed_array<T, 2>& a, std::ptrdiff_t tile) : columns_(a, tile) {}
  ~DealtFactors() = default;

  /// Factors the caller's tile that begins with column `first`: its rows from there on. Returns a
  /// note for each column, -1 for one that cannot be factored.
  virtual std::vector<std::int64_t> factor_tile(const Columns<T>& tile, std::ptrdiff_t first) = 0;
  /// Does to the caller's columns `c` what the tile, its columns [first, last), says. The first of
  /// `c` is the caller's column number `local`, behind the tile.
  virtual void update(const SharedPanel<T>& panel, std::ptrdiff_t first, const Columns<T>& c,
                      std::ptrdiff_t local) = 0;
  /// Takes the notes of a tile, when all columns behind it are updated.
  virtual void finish_tile(const std::vector<std::int64_t>& notes, std::ptrdiff_t first) = 0;
  /// Solves for the caller's right-hand sides.
  virtual void solve_columns(const Columns<T>& c) const = 0;

  /// Collective: x = what solved(columns) makes of the caller's columns of b.
  template <class F>
  void solve_sides(distributed_array<T, 2>& x, const distributed_array<T, 2>& b, F solved) const {
    require_sides(b, x.shape() == b.shape(), x.name(), x.all().section().shape_text());
    DealtSides<T> sides(b);
    const Columns<T> mine = sides.mine();
    if (mine.count > 0) solved(mine);
    x.all() = sides.array().all();
  }

  /// Collective: returns the first column that could not be factored, having given the columns back
  /// at all members, or n.
  std::ptrdiff_t factor_all();

  /// The lower triangle's part of solving.
  void solve_forward(const Columns<T>& c, bool is_unit, std::vector<T>& buffer) const {
    const std::ptrdiff_t n = columns_.n();
    for (std::ptrdiff_t first = 0; first < n; first = columns_.end_of(first)) {
      const std::ptrdiff_t last = columns_.end_of(first), width = last - first;
      columns_.get(first, last, first, n, buffer);
      const Columns<T> tile{buffer.data(), n - first, n - first, width};
      const auto top = c.part(first, 0, width, c.count);
      solve_lower(tile.part(0, 0, width, width), top, is_unit);
      subtract_product(c.part(last, 0, n - last, c.count), tile.part(width, 0, n - last, width),
                       top);
    }
  }

  DealtColumns<T> columns_;

 private:
  void publish_tile(SharedPanel<T>& panel, std::ptrdiff_t first) {
    const auto tile =
        columns_.mine(first).part(first, 0, columns_.n() - first, columns_.end_of(first) - first);
    panel.publish(tile, factor_tile(tile, first));
  }
  void update_behind(SharedPanel<T>& panel, std::ptrdiff_t first);

  template <int N>
  void require_sides(const distributed_array<T, N>& b, bool has_shape, const std::string& x,
                     const std::string& x_shape) const {
    const std::string b_shape = b.all().section().shape_text();
    if (b.extent(0) != columns_.n())
      throw Error(Errc::bad_argument, "distributed_array '" + b.name() + "' of " + b_shape +
                                          " has no right-hand sides for '" + columns_.name() +
                                          "', which has " + std::to_string(columns_.n()) + " rows");
    if (!has_shape)
      throw Error(Errc::bad_argument, "distributed_array '" + x + "' of " + x_shape +
                                          " has no place for the solutions of '" + b.name() +
                                          "' of " + b_shape);
  }
};

template <class T>
std::ptrdiff_t DealtFactors<T>::factor_all() {
  const std::ptrdiff_t n = columns_.n();
  SharedPanel<T> panel(columns_.team(), n, std::min(columns_.tile(), n));
  std::ptrdiff_t wrong = n;
  if (n > 0 && columns_.has(0)) publish_tile(panel, 0);
  for (std::ptrdiff_t first = 0; first < n; first = columns_.end_of(first)) {
    const std::ptrdiff_t width = columns_.end_of(first) - first;
    panel.fetch(columns_.owner(first), n - first, width);
    const auto none = std::ranges::find(panel.notes(), -1);
    if (none != panel.notes().end()) {
      wrong = first + (none - panel.notes().begin());
      break;
    }
    update_behind(panel, first);
  }
  panel.release();
  if (wrong < n) columns_.release();
  return wrong;
}

template <class T>
void DealtFactors<T>::update_behind(SharedPanel<T>& panel, std::ptrdiff_t first) {
  const std::ptrdiff_t last = columns_.end_of(first), n = columns_.n();
  const bool has_next = last < n && columns_.has(last);
  const bool looks_ahead = has_next && columns_.team().size() > 1;  // alone there is one place
  const Columns<T> behind = columns_.mine(last);
  const std::ptrdiff_t local = columns_.mine(0).count - behind.count;
  const std::ptrdiff_t next = looks_ahead ? columns_.end_of(last) - last : 0;
  if (looks_ahead) {
    update(panel, first, behind.part(0, 0, n, next), local);
    publish_tile(panel, last);
  }
  update(panel, first, behind.part(0, next, n, behind.count - next), local + next);
  finish_tile(panel.notes(), first);
  if (has_next && !looks_ahead) publish_tile(panel, last);
}

}  // namespace armature::detail
