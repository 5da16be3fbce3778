#include "simulation.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <stdexcept>
#include <string>

namespace water {
namespace {

constexpr std::int64_t room = 64;  // for molecules in a cell, of which there are 27 on average
constexpr int steps_between = 10;  // moves from cell to cell
// A molecule that leaves its cell meanwhile is still found by those that feel it.
constexpr double margin = (cell_side - cutoff - 2 * reach) / 2;
constexpr double fastest = margin / (steps_between * time_step);

std::size_t room_for(const Dealing& dealing, std::int64_t of_each) {
  return dealing.most() * static_cast<std::size_t>(room * of_each);
}

double squared_speed(const double* speed) {
  return speed[0] * speed[0] + speed[1] * speed[1] + speed[2] * speed[2];
}

}  // namespace

Simulation::Simulation(armature::World& world, const Dealing& dealing)
    : world_(world),
      dealing_(dealing),
      counts_(world.allocate<std::int64_t>(dealing.most())),
      at_(world.allocate<double>(room_for(dealing, numbers))),
      speeds_(world.allocate<double>(room_for(dealing, numbers))),
      forces_(world.allocate<Fixed>(room_for(dealing, numbers))),
      total_(room_for(dealing, numbers)) {
  for (const std::size_t cell : mine())
    for (const std::size_t near : dealing_.half_around(cell))
      if (dealing_.owner(near) != world_.rank() && !beside_of_.contains(near)) {
        beside_of_[near] = beside_.size();
        beside_.push_back(
            {near, 0, std::vector<double>(room * numbers), std::vector<Fixed>(room * numbers)});
      }
  fill(lattice(dealing_));
  world_.barrier();
  fetch();
  compute();
  give_back();
}

const std::vector<std::size_t>& Simulation::mine() const {
  return dealing_.cells_of(world_.rank());
}

std::ptrdiff_t Simulation::offset(std::size_t cell, std::int64_t slot) const {
  return (static_cast<std::ptrdiff_t>(dealing_.place(cell)) * room + slot) * numbers;
}

void Simulation::fill(const std::vector<Molecule>& all) {
  for (const Molecule& molecule : all) {
    const std::size_t cell = dealing_.cell_at(molecule.at.data());
    if (dealing_.owner(cell) != world_.rank()) continue;
    const std::int64_t slot = counts_[dealing_.place(cell)]++;
    std::ranges::copy(molecule.at, &at_[0] + offset(cell, slot));
    std::ranges::copy(molecule.speed, &speeds_[0] + offset(cell, slot));
  }
}

void Simulation::step() {
  kick();
  drift();
  if (++steps_ % steps_between == 0) move_to_cells();
  world_.barrier();
  fetch();
  compute();
  give_back();
  kick();
}

void Simulation::kick() {
  for (const std::size_t cell : mine()) {
    double* const speed = &speeds_[0] + offset(cell);
    const Fixed* const force = total_.data() + offset(cell);
    for (std::int64_t i = 0; i < counts_[dealing_.place(cell)] * numbers; ++i)
      speed[i] += static_cast<double>(force[i]) *
                  (unit * acceleration * time_step / 2 / mass[i % numbers / 3]);
  }
}

void Simulation::drift() {
  for (const std::size_t cell : mine()) {
    double* const at = &at_[0] + offset(cell);
    const double* const speed = &speeds_[0] + offset(cell);
    const std::int64_t count = counts_[dealing_.place(cell)];
    for (std::int64_t i = 0; i < count * numbers; ++i) at[i] += time_step * speed[i];
    for (std::int64_t slot = 0; slot < count; ++slot) {
      const double* const molecule = at + slot * numbers;
      if (squared_speed(speed + slot * numbers) > fastest * fastest ||
          std::max(distance(molecule, 0, 1), distance(molecule, 0, 2)) > reach)
        throw std::runtime_error("step " + std::to_string(steps_) +
                                 ": a molecule is too fast, or breaks");
    }
    std::fill_n(&forces_[0] + offset(cell), count * numbers, Fixed{0});
  }
}

// A cell's last molecule takes the slot of one that leaves. No other rank touches counts before all
// have done that.
void Simulation::move_to_cells() {
  std::vector<Molecule> leaving;
  for (const std::size_t cell : mine()) {
    std::int64_t& count = counts_[dealing_.place(cell)];
    for (std::int64_t slot = count; slot-- > 0;) {
      double* const at = &at_[0] + offset(cell, slot);
      double* const speed = &speeds_[0] + offset(cell, slot);
      for (int i = 0; i < numbers; ++i) {
        // A molecule stays together: its oxygen, which comes first, decides.
        if (i >= 3) continue;
        const double shift = at[i] < 0                 ? dealing_.box()
                             : at[i] >= dealing_.box() ? -dealing_.box()
                                                       : 0;
        for (int atom = 0; atom < atoms; ++atom) at[3 * atom + i] += shift;
      }
      if (dealing_.cell_at(at) == cell) continue;
      Molecule& molecule = leaving.emplace_back();
      std::copy_n(at, numbers, molecule.at.begin());
      std::copy_n(speed, numbers, molecule.speed.begin());
      --count;
      std::copy_n(&at_[0] + offset(cell, count), numbers, at);
      std::copy_n(&speeds_[0] + offset(cell, count), numbers, speed);
    }
  }
  world_.barrier();
  for (const Molecule& molecule : leaving) send(dealing_.cell_at(molecule.at.data()), molecule);
  world_.fence_all();
  world_.barrier();
  for (const std::size_t cell : mine())  // also of those that came: their slots were not theirs
    std::fill_n(&forces_[0] + offset(cell), counts_[dealing_.place(cell)] * numbers, Fixed{0});
}

void Simulation::send(std::size_t cell, const Molecule& molecule) {
  const int owner = dealing_.owner(cell);
  const auto place = static_cast<std::ptrdiff_t>(dealing_.place(cell));
  const std::int64_t slot = armature::fetch_add(counts_.on(owner) + place, 1);
  if (slot >= room) throw std::runtime_error("more molecules in a cell than there is room for");
  armature::put(at_.on(owner) + offset(cell, slot), molecule.at);
  armature::put(speeds_.on(owner) + offset(cell, slot), molecule.speed);
  if (owner != world_.rank()) count_traffic(cell, 2 * numbers * std::int64_t{sizeof(double)});
}

void Simulation::fetch() {
  if (steps_ % steps_between == 0) {
    for (Beside& each : beside_)
      armature::get_nbi(&each.count,
                        counts_.on(dealing_.owner(each.cell)) +
                            static_cast<std::ptrdiff_t>(dealing_.place(each.cell)),
                        1);
    armature::wait_all();
  }
  for (Beside& each : beside_) {
    const auto doubles = static_cast<std::size_t>(each.count * numbers);
    armature::get_nbi(each.at.data(), at_.on(dealing_.owner(each.cell)) + offset(each.cell),
                      doubles);
    count_traffic(each.cell, static_cast<std::int64_t>(doubles * sizeof(double)));
  }
  armature::wait_all();
}

Simulation::Side Simulation::side(std::size_t cell) {
  if (dealing_.owner(cell) == world_.rank())
    return {&at_[0] + offset(cell), total_.data() + offset(cell), counts_[dealing_.place(cell)]};
  Beside& beside = beside_[beside_of_.at(cell)];
  return {beside.at.data(), beside.forces.data(), beside.count};
}

void Simulation::compute() {
  std::ranges::fill(total_, 0);
  for (Beside& each : beside_) std::ranges::fill(each.forces, 0);
  potential_ = 0;
  for (const std::size_t cell : mine()) {
    const Side here = side(cell);
    for (std::int64_t i = 0; i < here.count; ++i) {
      const double* const one = here.at + i * numbers;
      Fixed* const on_one = here.forces + i * numbers;
      potential_ += pull_within(one, on_one);
      for (std::int64_t j = 0; j < i; ++j)
        potential_ += pull_between(one, here.at + j * numbers, dealing_.box(), on_one,
                                   here.forces + j * numbers);
    }
    for (const std::size_t near : dealing_.half_around(cell)) {
      const Side there = side(near);
      for (std::int64_t i = 0; i < here.count; ++i)
        for (std::int64_t j = 0; j < there.count; ++j)
          potential_ += pull_between(here.at + i * numbers, there.at + j * numbers, dealing_.box(),
                                     here.forces + i * numbers, there.forces + j * numbers);
    }
  }
}

void Simulation::give_back() {
  for (const Beside& each : beside_) {
    const auto count = static_cast<std::size_t>(each.count * numbers);
    armature::accumulate(forces_.on(dealing_.owner(each.cell)) + offset(each.cell),
                         each.forces.data(), count);
    count_traffic(each.cell, static_cast<std::int64_t>(count * sizeof(Fixed)));
  }
  world_.fence_all();
  world_.barrier();
  for (const std::size_t cell : mine())
    for (std::int64_t i = 0; i < counts_[dealing_.place(cell)] * numbers; ++i)
      total_[static_cast<std::size_t>(offset(cell) + i)] +=
          forces_[static_cast<std::size_t>(offset(cell) + i)];
}

void Simulation::count_traffic(std::size_t cell, std::int64_t bytes) {
  traffic_.between_ranks += bytes;
  if (!armature::same_node(dealing_.owner(cell), world_.rank())) traffic_.between_nodes += bytes;
}

Energies Simulation::energies() const {
  Fixed kinetic = 0;
  for (const std::size_t cell : mine()) {
    const double* const speed = &speeds_[0] + offset(cell);
    for (std::int64_t i = 0; i < counts_[dealing_.place(cell)] * atoms; ++i)
      kinetic += fixed(mass[i % atoms] / 2 / acceleration * squared_speed(speed + 3 * i));
  }
  return {unit * static_cast<double>(allreduce(world_, potential_)),
          unit * static_cast<double>(allreduce(world_, kinetic))};
}

void Simulation::set_warmth() {
  const double wanted = 1.5 * warmth * atoms * static_cast<double>(molecules());
  const double factor = std::sqrt(wanted / energies().kinetic);
  for (const std::size_t cell : mine()) {
    double* const speed = &speeds_[0] + offset(cell);
    for (std::int64_t i = 0; i < counts_[dealing_.place(cell)] * numbers; ++i) speed[i] *= factor;
  }
}

std::uint64_t Simulation::fingerprint() const {
  std::uint64_t all = 0;
  for (const std::size_t cell : mine())
    for (std::int64_t slot = 0; slot < counts_[dealing_.place(cell)]; ++slot) {
      std::uint64_t sum = 0;
      for (const double* numbers_of :
           {&at_[0] + offset(cell, slot), &speeds_[0] + offset(cell, slot)})
        for (int i = 0; i < numbers; ++i) {
          sum = (sum ^ std::bit_cast<std::uint64_t>(numbers_of[i])) * 0x9e37'79b9'7f4a'7c15ULL;
          sum ^= sum >> 29;
        }
      all += sum;
    }
  return allreduce(world_, all);
}

std::int64_t Simulation::molecules() const {
  std::int64_t count = 0;
  for (const std::size_t cell : mine()) count += counts_[dealing_.place(cell)];
  return allreduce(world_, count);
}

Traffic Simulation::traffic() const {
  return {allreduce(world_, traffic_.between_ranks), allreduce(world_, traffic_.between_nodes)};
}

}  // namespace water
