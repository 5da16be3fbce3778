// The cells of the box, and the ranks that own them. The box is cut into bricks of cells, one for
// each rank. A cell is so large that molecules feel only those in the cells around.
#pragma once

#include <array>
#include <cstddef>
#include <string_view>
#include <vector>

#include "forces.hpp"

namespace water {

inline constexpr int molecules_a_side = 3;  // of a cell, in the lattice at the beginning
inline constexpr double cell_side = molecules_a_side * spacing;

using Place = std::array<int, 3>;

/// The order in which ranks own bricks: as the bricks lie, or like the fields of a chessboard,
/// first all of one colour. Neighbours then have distant numbers.
enum class Order { bricks, scattered };

/// "bricks" or "scattered". Throws std::invalid_argument.
Order parse_order(std::string_view name);

class Dealing {
 public:
  /// `cells` along each side of the box, at least 3: then no cell is a neighbour twice. Throws
  /// std::invalid_argument.
  Dealing(int cells, int ranks, Order order);

  [[nodiscard]] int cells() const { return cells_; }
  [[nodiscard]] double box() const { return cells_ * cell_side; }
  [[nodiscard]] std::size_t count() const { return owners_.size(); }
  [[nodiscard]] int owner(std::size_t cell) const { return owners_[cell]; }
  /// The place of a cell among those of its owner.
  [[nodiscard]] std::size_t place(std::size_t cell) const { return places_[cell]; }
  [[nodiscard]] const std::vector<std::size_t>& cells_of(int rank) const {
    return of_[static_cast<std::size_t>(rank)];
  }
  /// The most cells that any rank owns.
  [[nodiscard]] std::size_t most() const;

  [[nodiscard]] std::size_t cell_at(const double* oxygen) const;
  /// The half of the cells around that a cell is paired with; the other half pairs with it.
  [[nodiscard]] std::array<std::size_t, 13> half_around(std::size_t cell) const;

 private:
  [[nodiscard]] std::size_t number(const Place& at) const;

  int cells_;
  std::vector<int> owners_;
  std::vector<std::size_t> places_;
  std::vector<std::vector<std::size_t>> of_;
};

}  // namespace water
