// A drop of liquid argon flies, atom by atom, through a periodic box. Cells it is in have much to
// do, those before and behind it next to nothing, and soon it is the other way round.
//
// The cells are elements of an object array, as large as the forces reach, so that an atom feels
// those of its own cell and of the 26 around it. In each step atoms move, those that come into
// another cell are sent there, every cell shows its atoms to its neighbours, and forces are added
// up. Every few steps the cells are balanced, by each strategy in turn:
//
//   armature run -n 2 build/bin/examples/argon [STRATEGY...]
//
// For each it prints how long the steps took; what the busiest rank has computed; what each would
// have, had all been spread evenly; and how many cells have moved. It fails unless energy and
// momentum are conserved, and unless all atoms are where a plain loop over all pairs of them, by
// one rank alone, takes them. Cells add up forces in one order wherever they are. So atoms take the
// same way to the last bit with all strategies, and on any number of ranks: the last line is the
// same.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <ctime>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include <armature/armature.hpp>
#include <armature/object_array.hpp>
#include <armature/object_array/rebalance.hpp>

#include "atoms.hpp"

namespace {

using argon::Atom, argon::Vec;
using armature::World;

constexpr int cells = 6;  // a side
constexpr int steps_between = 4;
static_assert(cells >= 3, "two neighbours would be the same");

// Allowed for each atom: of energy while the drop melts, of momentum, and of the way from where an
// atom must be. Forces are added up in another order than by one rank alone.
constexpr double energy_off_max = 1e-3, momentum_off_max = 1e-11, way_off_max = 1e-9;

/// How far off, for a maximum: std::max would drop a NaN, so that is infinitely far.
double off_by(double off) { return std::isnan(off) ? HUGE_VAL : std::fabs(off); }
double off_by(const Vec& off) { return off_by(std::sqrt(dot(off, off))); }

using Place = std::tuple<int, int, int>;
Place cell_of(const Vec& at) {
  const auto number = [](double x) {
    return std::min(cells - 1, static_cast<int>(x * cells / argon::box));
  };
  return {number(at.x), number(at.y), number(at.z)};
}

/// The 26 cells around it.
std::vector<Place> around(const Place& me) {
  const auto [x, y, z] = me;
  std::vector<Place> all;
  for (int i = 0; i < 27; ++i) {
    const Place place{(x + i / 9 + cells - 1) % cells, (y + i / 3 % 3 + cells - 1) % cells,
                      (z + i % 3 + cells - 1) % cells};
    if (place != me) all.push_back(place);
  }
  return all;
}

struct Sums {
  double energy = 0;
  Vec momentum;
  friend Sums operator+(const Sums& a, const Sums& b) {
    return {a.energy + b.energy, a.momentum + b.momentum};
  }
};

/// The cells of this rank have computed this, and for so long.
struct Ledger {
  double seconds = 0;
  Sums sums;
};

double cpu_seconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

class Cell;
using Box = armature::object_array_ref<Cell, Place>;

class Cell {
 public:
  /// Data that others show are used up in the same step, before a cell moves.
  void define_type(armature::typer& t) {
    t.local(here_);
    t.local(arrived_);
  }

  // -- called by others
  void receive(const std::vector<Atom>& those) {
    arrived_.insert(arrived_.end(), those.begin(), those.end());
  }
  void see(Place neighbour, const std::vector<Vec>& those) { around_[neighbour] = those; }

  // -- the three parts of a step, each after all cells have done the one before
  void move(const Place& me, Box box, Ledger& ledger) {
    const double begun = cpu_seconds();
    std::map<Place, std::vector<Atom>> leaving;
    std::erase_if(here_, [&](Atom& atom) {
      push(atom);
      fly(atom);
      const Place to = cell_of(atom.at);
      if (to != me) leaving[to].push_back(atom);
      return to != me;
    });
    ledger.seconds += cpu_seconds() - begun;
    for (const auto& [to, those] : leaving) box[to].async(&Cell::receive, those);
  }
  void show(const Place& me, Box box) {
    here_.insert(here_.end(), arrived_.begin(), arrived_.end());
    arrived_.clear();
    // Atoms came in any order; sums are made in one.
    std::ranges::sort(here_, {}, &Atom::number);
    if (here_.empty()) return;
    std::vector<Vec> mine;
    for (const Atom& atom : here_) mine.push_back(atom.at);
    box.section(around(me)).async(&Cell::see, me, mine);
    around_[me] = std::move(mine);
  }
  void add_forces(Ledger& ledger) {
    const double begun = cpu_seconds();
    for (Atom& atom : here_) {
      atom.force = {};
      for (const auto& [place, those] : around_)
        for (const Vec& other : those) feel(atom.at, other, atom.force, ledger.sums.energy);
    }
    around_.clear();
    ledger.seconds += cpu_seconds() - begun;
  }
  void finish(Sums& sums) {
    for (Atom& atom : here_) {
      push(atom);
      sums = sums + Sums{kinetic(atom), atom.speed};
    }
  }

  [[nodiscard]] const std::vector<Atom>& atoms() const { return here_; }

 private:
  std::vector<Atom> here_, arrived_;
  std::map<Place, std::vector<Vec>> around_;  // where atoms are, by cell, this one among them
};

/// All cells, and what is known of them as they go from step to step.
class Flight {
 public:
  Flight(World& world, const std::vector<Atom>& atoms)
      : world_(world), box_(world, armature::all_indices(cells, cells, cells)) {
    atoms_ = static_cast<double>(atoms.size());
    box_.measure(true);
    if (world.rank() == 0) {
      std::map<Place, std::vector<Atom>> all;
      for (const Atom& atom : atoms) all[cell_of(atom.at)].push_back(atom);
      for (const auto& [to, those] : all) box_[to].async(&Cell::receive, those);
    }
    forces();
    // The first half of a push was none: it only says what there is.
    for (const Atom& atom : atoms) first_.energy += kinetic(atom);
    first_.energy += allreduce(world_, std::exchange(ledger_, {}).sums.energy);
  }

  void step() {
    ledger_ = {};
    box_.for_all([&](const Place& me, Cell& cell) { cell.move(me, box_.ref(), ledger_); });
    forces();
    box_.for_all([&](const Place&, Cell& cell) { cell.finish(ledger_.sums); });
    busiest_ += allreduce(world_, ledger_.seconds, armature::Maximum());
    ideal_ += allreduce(world_, ledger_.seconds) / world_.size();
    const Sums now = allreduce(world_, ledger_.sums);
    const Vec momentum_off = now.momentum - atoms_ * Vec{argon::flight, 0, 0};
    energy_off_ = std::max(energy_off_, off_by(now.energy - first_.energy) / atoms_);
    momentum_off_ = std::max(momentum_off_, off_by(momentum_off) / atoms_);
  }

  void balance(const std::string& strategy) {
    moved_ +=
        armature::rebalance(
            box_, {.strategy = armature::balance::strategy(strategy), .log = false, .record = {}})
            .moved;
  }

  /// How far an atom is at most from where it must be.
  [[nodiscard]] double way_off(const std::vector<Atom>& expected) const {
    return box_.transform_reduce(0.0, armature::Maximum(), [&](const Place&, const Cell& cell) {
      double most = 0;
      for (const Atom& atom : cell.atoms()) {
        const Vec& place = expected[static_cast<std::size_t>(atom.number)].at;
        most = std::max(most, off_by(shortest(atom.at - place)));
      }
      return most;
    });
  }
  [[nodiscard]] std::size_t count() const {
    return box_.transform_reduce(std::size_t{0}, std::plus<>(), [](const Place&, const Cell& cell) {
      return cell.atoms().size();
    });
  }
  [[nodiscard]] std::uint64_t fingerprint() const {
    return box_.transform_reduce(std::uint64_t{0}, std::plus<>(),
                                 [](const Place&, const Cell& cell) {
                                   std::uint64_t sum = 0;
                                   for (const Atom& atom : cell.atoms())
                                     sum += argon::fingerprint(atom);
                                   return sum;
                                 });
  }
  [[nodiscard]] bool conserves() const {
    return energy_off_ < energy_off_max && momentum_off_ < momentum_off_max;
  }
  void report(const std::string& strategy, double took, double way_off) const {
    std::printf(
        "%-14s %7.3f s, busiest %.3f s, ideal %.3f s (%.0f %%), %zu cells moved; energy %.1e, "
        "momentum %.1e, way %.1e off\n",
        strategy.c_str(), took, busiest_, ideal_, 100 * ideal_ / busiest_, moved_, energy_off_,
        momentum_off_, way_off);
  }

 private:
  void forces() {
    box_.for_all([&](const Place& me, Cell& cell) { cell.show(me, box_.ref()); });
    box_.for_all([&](const Place&, Cell& cell) { cell.add_forces(ledger_); });
  }

  World& world_;
  armature::object_array<Cell, Place> box_;
  double atoms_ = 0;
  Ledger ledger_;
  Sums first_;
  double busiest_ = 0, ideal_ = 0;  // sums over the steps, which end together
  double energy_off_ = 0, momentum_off_ = 0;
  std::size_t moved_ = 0;
};

/// Returns the fingerprint of all atoms at the end; 0 when something was wrong.
std::uint64_t run(World& world, const std::string& strategy, const std::vector<Atom>& atoms,
                  const std::vector<Atom>& expected) {
  Flight flight(world, atoms);
  const auto begun = std::chrono::steady_clock::now();
  for (int step = 0; step < argon::steps; ++step) {
    flight.step();
    if (step % steps_between == steps_between - 1) flight.balance(strategy);
  }
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begun;
  const double way_off = flight.way_off(expected);
  const std::uint64_t fingerprint = flight.fingerprint();
  const bool good = flight.conserves() && way_off < way_off_max && flight.count() == atoms.size();
  if (world.rank() == 0) flight.report(strategy, took.count(), way_off);
  return good ? fingerprint : 0;
}

}  // namespace

int main(int argc, char** argv) {
  const std::vector<std::string> asked(argv + 1, argv + argc);
  return armature::run(argc, argv, [asked](World& world) {
    const std::vector<Atom> atoms = argon::drop();
    std::vector<Atom> expected = atoms;
    if (world.rank() == 0) expected = steps_alone(atoms);
    broadcast<Atom>(world, expected, 0);
    bool good = true;
    std::uint64_t first = 0;
    for (const std::string& name : asked.empty() ? armature::balance::strategy_names() : asked) {
      const std::uint64_t fingerprint = run(world, name, atoms, expected);
      if (first == 0) first = fingerprint;
      good = good && fingerprint != 0 && fingerprint == first;
    }
    if (world.rank() == 0)
      std::printf("%zu atoms, fingerprint %016llx: %s\n", atoms.size(),
                  static_cast<unsigned long long>(first),
                  good ? "where one rank alone takes them" : "WRONG");
    return good ? 0 : 1;
  });
}
