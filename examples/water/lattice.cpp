#include "lattice.hpp"

#include <cmath>
#include <numbers>
#include <random>

namespace water {
namespace {

using Vec = std::array<double, 3>;

/// Numbers of a normal distribution (Box and Muller), the same in every C++ library.
class Chance {
 public:
  double normal() {
    const double length = std::sqrt(-2 * std::log(1 - even()));
    return length * std::cos(2 * std::numbers::pi * even());
  }
  /// A direction, all being alike.
  Vec direction() {
    Vec way{normal(), normal(), normal()};
    const double length = std::hypot(way[0], way[1], way[2]);
    for (double& each : way) each /= length;
    return way;
  }

 private:
  double even() { return std::ldexp(static_cast<double>(bits_() >> 11), -53); }
  std::mt19937_64 bits_{36};
};

// So near to the rims of cells that molecules go from cell to cell from the beginning.
constexpr double from_rim = 0.004;

/// The hydrogens lie on both sides of an axis, in a plane with it.
Molecule turned(const Vec& oxygen, Chance& chance) {
  constexpr double bond = 1.012, half_angle = 0.988228;  // half of 113.24 degrees
  const Vec axis = chance.direction();
  Vec side = chance.direction();
  double along = 0;
  for (std::size_t k = 0; k < 3; ++k) along += side[k] * axis[k];
  for (std::size_t k = 0; k < 3; ++k) side[k] -= along * axis[k];
  const double length = std::hypot(side[0], side[1], side[2]);
  Molecule molecule;
  for (std::size_t k = 0; k < 3; ++k) {
    const double with = bond * std::cos(half_angle) * axis[k];
    const double aside = bond * std::sin(half_angle) * side[k] / length;
    molecule.at[k] = oxygen[k];
    molecule.at[3 + k] = oxygen[k] + with + aside;
    molecule.at[6 + k] = oxygen[k] + with - aside;
  }
  return molecule;
}

void warm(Molecule& molecule, Chance& chance) {
  for (std::size_t i = 0; i < numbers; ++i)
    molecule.speed[i] = std::sqrt(warmth * acceleration / mass[i / 3]) * chance.normal();
}

void bring_to_rest(std::vector<Molecule>& molecules) {
  Vec momentum{};
  double weight = 0;
  for (const Molecule& molecule : molecules)
    for (std::size_t i = 0; i < numbers; ++i) {
      momentum[i % 3] += mass[i / 3] * molecule.speed[i];
      weight += mass[i / 3] / 3;
    }
  for (Molecule& molecule : molecules)
    for (std::size_t i = 0; i < numbers; ++i) molecule.speed[i] -= momentum[i % 3] / weight;
}

}  // namespace

std::vector<Molecule> lattice(const Dealing& dealing) {
  Chance chance;
  std::vector<Molecule> molecules;
  const int side = molecules_a_side * dealing.cells();
  for (int z = 0; z < side; ++z)
    for (int y = 0; y < side; ++y)
      for (int x = 0; x < side; ++x) {
        const Vec oxygen{(x + from_rim) * spacing, (y + from_rim) * spacing,
                         (z + from_rim) * spacing};
        molecules.push_back(turned(oxygen, chance));
        warm(molecules.back(), chance);
      }
  bring_to_rest(molecules);
  return molecules;
}

}  // namespace water
