// Particles in cells, with a load that drifts: the plane is a grid of charges, columns of + and of
// - in turn, and each particle is charged so that it moves an odd number of cells to the right and
// some up in each step, exactly (the kernel of that name in the Parallel Research Kernels). Most
// begin at the left and run through the plane together, so tiles that have much to do now have
// little soon.
//
// Tiles are elements of an object array. Every few steps they are balanced, by each strategy in
// turn:
//
//   armature run -n 2 build/bin/examples/particles [STRATEGY...]
//
// For each it prints how long the steps took; what the busiest rank has computed; what each would
// have, had all been spread evenly; and how many tiles have moved. Where every particle must end is
// known, and compared.
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <map>
#include <string>
#include <tuple>
#include <vector>

#include <armature/armature.hpp>
#include <armature/object_array.hpp>
#include <armature/object_array/rebalance.hpp>

namespace {

using armature::World;

constexpr int cells = 256, tiles = 16, each = cells / tiles;  // a side
constexpr int particles = 20'000, steps = 48, steps_between = 4;
constexpr int leap = 3, rise = 1;  // cells in a step; the first must be odd

struct Particle {
  double x = 0, y = 0, vx = 0, vy = 0, charge = 0;
  int number = 0;
};

double cpu_seconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

double round_the_plane(double at) { return at - cells * std::floor(at / cells); }

/// A particle begins in the middle of its cell; more of them the further left.
Particle born(int number) {
  const int column = static_cast<int>(cells * std::pow(static_cast<double>(number) / particles, 3));
  const int row = number * 7 % cells;
  // Halfway between the columns two charges pull and two push, all at the same distance.
  const double pull = 2 * 0.5 / std::pow(0.5, 1.5);
  const double charge = (column % 2 == 0 ? 1 : -1) * leap / pull;
  return {column + 0.5, row + 0.5, 0, rise, charge, number};
}

/// A step of length 1 under the four charges at the corners of its cell.
void advance(Particle& p) {
  const double left = std::floor(p.x), bottom = std::floor(p.y);
  double ax = 0, ay = 0;
  for (int corner = 0; corner < 4; ++corner) {
    const double column = left + corner % 2, row = bottom + corner / 2;
    const double dx = p.x - column, dy = p.y - row;
    const double squared = dx * dx + dy * dy;
    const double sign = static_cast<long>(column) % 2 == 0 ? 1 : -1;
    const double force = sign * p.charge / (squared * std::sqrt(squared));
    ax += force * dx;
    ay += force * dy;
  }
  p.x = round_the_plane(p.x + p.vx + 0.5 * ax);
  p.y = round_the_plane(p.y + p.vy + 0.5 * ay);
  p.vx += ax;
  p.vy += ay;
}

using Place = std::tuple<int, int>;
Place tile_of(const Particle& p) {
  return {static_cast<int>(p.x) / each, static_cast<int>(p.y) / each};
}

class Tile;
using Plane = armature::object_array_ref<Tile, Place>;

/// The time that this rank has computed.
struct Clock {
  double seconds = 0;
};

class Tile {
 public:
  void define_type(armature::typer& t) {
    t.local(here_);
    t.local(arrived_);
    t.local(leaving_);
  }

  void receive(const std::vector<Particle>& those) {
    arrived_.insert(arrived_.end(), those.begin(), those.end());
  }
  /// Every particle moves once. Those that leave wait until all tiles are through, else one could
  /// move again where it arrives.
  void step(Place me, Clock& clock) {
    const double begun = cpu_seconds();
    here_.insert(here_.end(), arrived_.begin(), arrived_.end());
    arrived_.clear();
    std::erase_if(here_, [&](Particle& p) {
      advance(p);
      const Place to = tile_of(p);
      if (to != me) leaving_[to].push_back(p);
      return to != me;
    });
    clock.seconds += cpu_seconds() - begun;
  }
  void send(Plane plane) {
    for (const auto& [to, those] : leaving_) plane[to].async(&Tile::receive, those);
    leaving_.clear();
  }
  [[nodiscard]] long misplaced(int after) const {
    long count = 0;
    for (const auto* some : {&here_, &arrived_})
      for (const Particle& p : *some) {
        const Particle first = born(p.number);
        const double off =
            std::fabs(p.x - round_the_plane(first.x + static_cast<double>(leap) * after)) +
            std::fabs(p.y - round_the_plane(first.y + static_cast<double>(rise) * after));
        count += off < 1e-5 ? 0 : 1;
      }
    return count;
  }
  [[nodiscard]] long count() const { return static_cast<long>(here_.size() + arrived_.size()); }

 private:
  std::vector<Particle> here_, arrived_;  // those that came for the next step
  std::map<Place, std::vector<Particle>> leaving_;
};

bool run(World& world, const std::string& strategy) {
  armature::object_array<Tile, Place> plane(world, armature::all_indices(tiles, tiles));
  Clock clock;
  plane.measure(true);
  if (world.rank() == 0) {
    std::map<Place, std::vector<Particle>> all;
    for (int number = 0; number < particles; ++number) {
      const Particle p = born(number);
      all[tile_of(p)].push_back(p);
    }
    for (const auto& [to, those] : all) plane[to].async(&Tile::receive, those);
  }
  plane.fence();
  std::size_t moved = 0;
  double busiest = 0, ideal = 0;  // sums over the steps, which end together
  const auto begun = std::chrono::steady_clock::now();
  for (int step = 0; step < steps; ++step) {
    clock.seconds = 0;
    plane.for_all([&](Place me, Tile& tile) { tile.step(me, clock); });
    plane.for_all([&](Place, Tile& tile) { tile.send(plane.ref()); });
    busiest += allreduce(world, clock.seconds, armature::Maximum());
    ideal += allreduce(world, clock.seconds) / world.size();
    if (step % steps_between == steps_between - 1)
      moved += armature::rebalance(
                   plane,
                   {.strategy = armature::balance::strategy(strategy), .log = false, .record = {}})
                   .moved;
  }
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begun;
  const auto sum = [&](auto term) {
    return plane.transform_reduce(0L, std::plus<>(),
                                  [&](const Place&, const Tile& tile) { return term(tile); });
  };
  const long lost = particles - sum([](const Tile& tile) { return tile.count(); });
  const long wrong = sum([](const Tile& tile) { return tile.misplaced(steps); });
  if (world.rank() == 0)
    std::printf("%-14s %8.3f s, busiest %.3f s, ideal %.3f s (%.0f %%), %zu tiles moved, %s\n",
                strategy.c_str(), took.count(), busiest, ideal, 100 * ideal / busiest, moved,
                lost == 0 && wrong == 0 ? "all particles are where they must be" : "WRONG");
  return lost == 0 && wrong == 0;
}

}  // namespace

int main(int argc, char** argv) {
  const std::vector<std::string> asked(argv + 1, argv + argc);
  return armature::run(argc, argv, [asked](World& world) {
    bool good = true;
    for (const std::string& name : asked.empty() ? armature::balance::strategy_names() : asked)
      good = run(world, name) && good;
    return good ? 0 : 1;
  });
}
