// Flexible water: the SPC model whose bonds and angle are springs (SPC/Fw: Wu, Tepper and Voth, J.
// Chem. Phys. 124, 2006). Lengths in angstroms, times in femtoseconds, energies in kcal/mol, masses
// in atomic units.
//
// Forces and energies are sums of integers: each term is rounded once to a fixed unit. So their
// order does not matter, and any number of ranks finds the same trajectory, to the last bit. Terms
// are exactly opposite for the two partners of a pair.
#pragma once

#include <cmath>
#include <cstdint>

namespace water {

inline constexpr int atoms = 3;                   // of a molecule: oxygen, hydrogen, hydrogen
inline constexpr int numbers = 3 * atoms;         // that say where they are
inline constexpr double cutoff = 6.5;             // between atoms
inline constexpr double reach = 1.25;             // a hydrogen is never farther from its oxygen
inline constexpr double spacing = 3.1040;         // of molecules in a cubic lattice of 0.9999 g/cm3
inline constexpr double time_step = 0.2;          // fs
inline constexpr double warmth = 0.596161;        // kcal/mol: 300 K
inline constexpr double acceleration = 4.184e-4;  // of 1 u by 1 kcal/mol/angstrom, in angstrom/fs^2
inline constexpr double mass[atoms] = {15.9994, 1.008, 1.008};

using Fixed = std::int64_t;
inline constexpr double unit = 0x1p-36;  // of a Fixed, in kcal/mol or kcal/mol/angstrom

/// Towards zero, so that opposite values remain opposite.
inline Fixed fixed(double value) { return static_cast<Fixed>(value / unit); }

/// The springs of a molecule: adds the forces on its atoms, and returns their energy.
Fixed pull_within(const double* molecule, Fixed* forces);

/// The forces between the atoms of two molecules in a periodic cube: Lennard-Jones of the
/// oxygens and the charges of all. Both potentials are shifted so that energy and force vanish at
/// the cutoff. Adds the forces, and returns the energy.
Fixed pull_between(const double* one, const double* other, double box, Fixed* on_one,
                   Fixed* on_other);

/// The distance between the atoms `a` and `b` of one molecule.
inline double distance(const double* molecule, int a, int b) {
  double squared = 0;
  for (int k = 0; k < 3; ++k) {
    const double way = molecule[3 * a + k] - molecule[3 * b + k];
    squared += way * way;
  }
  return std::sqrt(squared);
}

}  // namespace water
