#pragma once

#include <cmath>
#include <cstdint>
#include <vector>

// Argon in reduced units: lengths in diameters of an atom (0.34 nm), energies in depths of the
// potential between two (120 K), times such that the mass is 1 (2.2 ps).

namespace argon {

inline constexpr double density = 0.8;     // of the liquid
inline constexpr int lattice = 15;         // a side of the box, in unit cells of the crystal
inline constexpr double cutoff = 2.5;      // atoms farther apart do not feel each other
inline constexpr double warmth = 1.4;      // as a crystal; half of it goes into melting
inline constexpr double flight = 50;       // all move to the right as fast as that, besides
inline constexpr double radius = 8;        // of the drop
inline constexpr double duration = 0.004;  // of a step
inline constexpr int steps = 60;

struct Vec {
  double x = 0, y = 0, z = 0;

  friend Vec operator+(const Vec& a, const Vec& b) { return {a.x + b.x, a.y + b.y, a.z + b.z}; }
  friend Vec operator-(const Vec& a, const Vec& b) { return {a.x - b.x, a.y - b.y, a.z - b.z}; }
  friend Vec operator*(double s, const Vec& a) { return {s * a.x, s * a.y, s * a.z}; }
  friend double dot(const Vec& a, const Vec& b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
};

struct Atom {
  Vec at, speed, force;
  int number = 0;
};

/// The length of a side of the box, which is periodic: four atoms to a unit cell.
inline const double box = lattice * std::cbrt(4 / density);

/// The shortest way from there to here. Turned round it is the same to the last bit, so that
/// whoever computes what two atoms do to each other finds the same.
inline double shortest(double way) {
  if (way > box / 2) return way - box;
  return way < -box / 2 ? way + box : way;
}
inline Vec shortest(const Vec& way) { return {shortest(way.x), shortest(way.y), shortest(way.z)}; }
inline Vec into_box(const Vec& at) {
  const auto inside = [](double x) { return x < 0 ? x + box : x >= box ? x - box : x; };
  return {inside(at.x), inside(at.y), inside(at.z)};
}

/// An atom here feels one there: adds its half of their potential, and the force on it. The
/// potential (Lennard-Jones) is shifted so that it is 0 at the cutoff: else energy would be lost or
/// won where two part. An atom does not feel itself.
inline void feel(const Vec& here, const Vec& there, Vec& force, double& potential) {
  const Vec way = shortest(here - there);
  const double squared = dot(way, way);
  if (squared >= cutoff * cutoff || squared == 0) return;
  const auto power = [](double r2) { return 1 / (r2 * r2 * r2); };
  constexpr double at_cutoff = power(cutoff * cutoff);
  const double sixth = power(squared);
  potential += 2 * (sixth * sixth - sixth) - 2 * (at_cutoff * at_cutoff - at_cutoff);
  force = force + ((48 * sixth * sixth - 24 * sixth) / squared) * way;
}

/// Velocity Verlet: half a push, the way, and when the new forces are known the other half.
inline void push(Atom& atom) { atom.speed = atom.speed + (duration / 2) * atom.force; }
inline void fly(Atom& atom) { atom.at = into_box(atom.at + duration * atom.speed); }

/// Seen by who flies along.
inline double kinetic(const Atom& atom) {
  const Vec own = atom.speed - Vec{flight, 0, 0};
  return 0.5 * dot(own, own);
}

/// A drop at the left and some vapour around it, warm, and flying to the right as a whole.
[[nodiscard]] std::vector<Atom> drop();

/// Computes the atoms after all steps, by a plain loop over all pairs.
[[nodiscard]] std::vector<Atom> steps_alone(std::vector<Atom> atoms);

/// Mixes the atom's number, place and speed, to the last bit.
[[nodiscard]] std::uint64_t fingerprint(const Atom& atom);

}  // namespace argon
