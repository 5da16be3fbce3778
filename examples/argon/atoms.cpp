#include "atoms.hpp"

#include <bit>
#include <cstddef>
#include <numbers>
#include <random>

namespace argon {
namespace {

/// The places of a crystal (cubic, face centred) that fills the box.
template <class Visit>
void for_each_site(Visit visit) {
  constexpr Vec in_unit[] = {{0, 0, 0}, {0.5, 0.5, 0}, {0.5, 0, 0.5}, {0, 0.5, 0.5}};
  const double unit = box / lattice;
  for (int i = 0; i < lattice * lattice * lattice; ++i) {
    const Vec corner{static_cast<double>(i / (lattice * lattice)),
                     static_cast<double>(i / lattice % lattice), static_cast<double>(i % lattice)};
    for (const Vec& part : in_unit) visit(unit * (corner + part));
  }
}

/// Draws speeds of warmth 1 in each direction (Box and Muller), the same in every C++ library.
class Chance {
 public:
  double normal() {
    const double length = std::sqrt(-2 * std::log(1 - even()));
    return length * std::cos(2 * std::numbers::pi * even());
  }
  Vec vector() {
    const double x = normal(), y = normal();
    return {x, y, normal()};
  }

 private:
  double even() { return std::ldexp(static_cast<double>(bits_() >> 11), -53); }
  std::mt19937_64 bits_{18};
};

void all_forces(std::vector<Atom>& atoms) {
  for (Atom& atom : atoms) atom.force = {};
  for (auto one = atoms.begin(); one != atoms.end(); ++one)
    for (auto other = one + 1; other != atoms.end(); ++other) {
      Vec force;
      double potential = 0;
      feel(one->at, other->at, force, potential);
      one->force = one->force + force;
      other->force = other->force - force;
    }
}

}  // namespace

std::vector<Atom> drop() {
  std::vector<Atom> atoms;
  const Vec middle{box / 4, box / 2, box / 2};
  int sites = 0;
  for_each_site([&](const Vec& at) {
    const Vec way = shortest(at - middle);
    const bool is_vapour = sites++ % 199 == 0;
    if (dot(way, way) < radius * radius || is_vapour)
      atoms.push_back({.at = at, .number = static_cast<int>(atoms.size())});
  });
  Chance chance;
  Vec sum;
  for (Atom& atom : atoms) {
    atom.speed = std::sqrt(warmth) * chance.vector();
    sum = sum + atom.speed;
  }
  const Vec as_a_whole = Vec{flight, 0, 0} - (1 / static_cast<double>(atoms.size())) * sum;
  for (Atom& atom : atoms) atom.speed = atom.speed + as_a_whole;
  return atoms;
}

std::vector<Atom> steps_alone(std::vector<Atom> atoms) {
  all_forces(atoms);
  for (int step = 0; step < steps; ++step) {
    for (Atom& atom : atoms) {
      push(atom);
      fly(atom);
    }
    all_forces(atoms);
    for (Atom& atom : atoms) push(atom);
  }
  return atoms;
}

std::uint64_t fingerprint(const Atom& atom) {
  auto sum = static_cast<std::uint64_t>(atom.number);
  for (const Vec& part : {atom.at, atom.speed})
    for (const double value : {part.x, part.y, part.z}) {
      sum = (sum ^ std::bit_cast<std::uint64_t>(value)) * 0x9e37'79b9'7f4a'7c15ULL;
      sum ^= sum >> 29;
    }
  return sum;
}

}  // namespace argon
