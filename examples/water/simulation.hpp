// The water on the ranks. A rank owns cells; where their molecules are lies in its global memory,
// and so do the forces that others find for them. In a step each rank
//
//   gets the positions of the cells beside its own,
//   computes what the molecules of neighbouring cells do to each other, each pair once,
//   accumulates the forces on the molecules of others in their owners' memory,
//
// with a barrier before and one behind. Every few steps molecules that have left their cell go to
// the owner of the new one, which does nothing for it: a slot is drawn by a fetch-and-add.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include <armature/armature.hpp>

#include "dealing.hpp"
#include "lattice.hpp"

namespace water {

struct Energies {
  double potential = 0;
  double kinetic = 0;
  [[nodiscard]] double total() const { return potential + kinetic; }
};

/// Bytes that ranks have got from others and accumulated at others.
struct Traffic {
  std::int64_t between_ranks = 0;
  std::int64_t between_nodes = 0;
};

class Simulation {
 public:
  /// Collective, as all that follows.
  Simulation(armature::World& world, const Dealing& dealing);

  /// A step of the velocity Verlet method.
  void step();
  /// kcal/mol, of all molecules. The same bits on any number of ranks.
  [[nodiscard]] Energies energies() const;
  /// Makes all speeds such that the water is as warm as it is to be.
  void set_warmth();
  /// Mixes all positions and speeds, to the last bit.
  [[nodiscard]] std::uint64_t fingerprint() const;
  [[nodiscard]] std::int64_t molecules() const;
  /// Sums over all ranks.
  [[nodiscard]] Traffic traffic() const;

 private:
  /// A cell of another rank: a copy of its positions, and the forces to be accumulated there.
  struct Beside {
    std::size_t cell = 0;
    std::int64_t count = 0;
    std::vector<double> at;
    std::vector<Fixed> forces;
  };
  /// A cell's molecules, in whichever memory.
  struct Side {
    const double* at;
    Fixed* forces;
    std::int64_t count;
  };

  void fill(const std::vector<Molecule>& all);
  void kick();
  void drift();
  void move_to_cells();
  void send(std::size_t cell, const Molecule& molecule);
  void fetch();
  void compute();
  void give_back();
  [[nodiscard]] Side side(std::size_t cell);
  [[nodiscard]] const std::vector<std::size_t>& mine() const;
  [[nodiscard]] std::ptrdiff_t offset(std::size_t cell, std::int64_t slot = 0) const;
  void count_traffic(std::size_t cell, std::int64_t bytes);

  armature::World& world_;
  Dealing dealing_;
  armature::Piece<std::int64_t> counts_;  // molecules of each of my cells
  armature::Piece<double> at_;
  armature::Piece<double> speeds_;
  armature::Piece<Fixed> forces_;  // that others have found
  std::vector<Fixed> total_;       // and with them those that I have found
  std::vector<Beside> beside_;
  std::map<std::size_t, std::size_t> beside_of_;  // by cell
  Fixed potential_ = 0;
  int steps_ = 0;
  Traffic traffic_;
};

}  // namespace water
