// The water at the beginning: molecules on a cubic lattice, turned by chance, and warm.
#pragma once

#include <array>
#include <vector>

#include "dealing.hpp"

namespace water {

struct Molecule {
  std::array<double, numbers> at{};
  std::array<double, numbers> speed{};  // angstrom/fs
};

/// Makes them: the same on every rank, and at rest as a whole.
[[nodiscard]] std::vector<Molecule> lattice(const Dealing& dealing);

}  // namespace water
