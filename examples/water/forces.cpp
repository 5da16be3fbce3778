#include "forces.hpp"

namespace water {
namespace {

constexpr double bond = 1059.162, bond_length = 1.012;      // kcal/mol/A^2, A
constexpr double bend = 75.90, angle = 1.9764568217766847;  // kcal/mol/rad^2, 113.24 degrees
constexpr double depth = 0.1554253, diameter = 3.165492;    // of the oxygens' potential
constexpr double coulomb = 332.0637;                        // kcal A/mol/e^2
constexpr double charge[atoms] = {-0.82, 0.41, 0.41};

void add(Fixed* forces, int atom, const double (&way)[3], double factor) {
  for (int k = 0; k < 3; ++k) forces[3 * atom + k] += fixed(factor * way[k]);
}

/// The energy of a pair at a distance, and the force on the first divided by the distance.
struct Term {
  double energy = 0;
  double over_distance = 0;
};

Term charges(double product, double r) {
  constexpr double at_cutoff = 1 / cutoff;
  const double inverse = 1 / r;
  return {product * (inverse - at_cutoff + (r - cutoff) * at_cutoff * at_cutoff),
          product * (inverse * inverse - at_cutoff * at_cutoff) * inverse};
}

constexpr double power6(double x) { return x * x * x * x * x * x; }

Term oxygens(double r) {
  constexpr double sixth_there = power6(diameter / cutoff);
  constexpr double energy_there = 4 * depth * (sixth_there * sixth_there - sixth_there);
  constexpr double force_there =
      24 * depth * (2 * sixth_there * sixth_there - sixth_there) / cutoff;
  const double sixth = power6(diameter / r);
  const double force = 24 * depth * (2 * sixth * sixth - sixth) / r;
  return {4 * depth * (sixth * sixth - sixth) - energy_there + (r - cutoff) * force_there,
          (force - force_there) / r};
}

}  // namespace

Fixed pull_within(const double* molecule, Fixed* forces) {
  double ways[2][3], lengths[2], cosine = 0;
  Fixed energy = 0;
  for (int h = 0; h < 2; ++h) {
    for (int k = 0; k < 3; ++k) ways[h][k] = molecule[3 * (h + 1) + k] - molecule[k];
    lengths[h] = distance(molecule, 0, h + 1);
    const double longer = lengths[h] - bond_length;
    energy += fixed(0.5 * bond * longer * longer);
    add(forces, h + 1, ways[h], -bond * longer / lengths[h]);
    add(forces, 0, ways[h], bond * longer / lengths[h]);
  }
  for (int k = 0; k < 3; ++k) cosine += ways[0][k] * ways[1][k];
  cosine /= lengths[0] * lengths[1];
  const double wider = std::acos(cosine) - angle;
  energy += fixed(0.5 * bend * wider * wider);
  // Along the direction in which the angle grows, for each hydrogen.
  const double push = bend * wider / std::sqrt(1 - cosine * cosine);
  for (int h = 0; h < 2; ++h) {
    double way[3];
    for (int k = 0; k < 3; ++k)
      way[k] = ways[1 - h][k] / lengths[1 - h] - cosine * ways[h][k] / lengths[h];
    add(forces, h + 1, way, push / lengths[h]);
    add(forces, 0, way, -push / lengths[h]);
  }
  return energy;
}

Fixed pull_between(const double* one, const double* other, double box, Fixed* on_one,
                   Fixed* on_other) {
  constexpr double near = cutoff + 2 * reach;
  double shift[3], between_oxygens = 0;
  for (int k = 0; k < 3; ++k) {
    const double way = one[k] - other[k];
    shift[k] = way > box / 2 ? box : way < -box / 2 ? -box : 0;  // to the nearest image
    between_oxygens += (way - shift[k]) * (way - shift[k]);
  }
  if (between_oxygens >= near * near) return 0;
  Fixed energy = 0;
  for (int a = 0; a < atoms; ++a)
    for (int b = 0; b < atoms; ++b) {
      double way[3], squared = 0;
      for (int k = 0; k < 3; ++k) {
        way[k] = one[3 * a + k] - other[3 * b + k] - shift[k];
        squared += way[k] * way[k];
      }
      if (squared >= cutoff * cutoff) continue;
      const double r = std::sqrt(squared);
      Term term = charges(coulomb * charge[a] * charge[b], r);
      if (a == 0 && b == 0) {
        const Term steric = oxygens(r);
        term.energy += steric.energy;
        term.over_distance += steric.over_distance;
      }
      energy += fixed(term.energy);
      for (int k = 0; k < 3; ++k) {
        const Fixed force = fixed(term.over_distance * way[k]);
        on_one[3 * a + k] += force;
        on_other[3 * b + k] -= force;
      }
    }
  return energy;
}

}  // namespace water
