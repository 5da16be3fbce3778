// Three ways to write a parallel program, at once on one problem: a ring of warm cells, and swarms
// that walk on it.
//
//   puts and gets      each rank has some cells; heat flows to neighbours, whose edges are put
//   an object array    each swarm is an object that moves to where there is time for it;
//                      its walkers read the heat of cells by get and leave marks by fetch_add
//   remote methods     a ledger on rank 0 is told how much heat was felt
//
//   armature run -n 3 build/bin/examples/three_ways
//   armature run -n 16 --virtual --processes 2 build/bin/examples/three_ways
//
// Everything is whole numbers, so the result is the same on any number of ranks, wherever swarms
// are; it is compared with the same computed by one rank alone.
#include <cstdint>
#include <cstdio>
#include <vector>

#include <armature/armature.hpp>
#include <armature/object_array.hpp>
#include <armature/object_array/rebalance.hpp>
#include <armature/rmi.hpp>

namespace {

using armature::World;

constexpr int cells = 960, swarm_count = 24, steps = 40;

long heat_at_first(int cell) { return cell % 97 == 0 ? 100'000 : 10; }
/// Out of a cell to its right neighbour.
long flow(long here, long right) { return (here - right) / 4; }

/// Memory and objects that a rank has for all others.
struct Ground {
  armature::Piece<long> heat, marks;
  int cells_each = cells;
  long felt = 0;  // the ledger, on rank 0

  void feel(long heat_of_all) { felt += heat_of_all; }
  [[nodiscard]] long read(int cell) const {
    return armature::get(heat.on(cell / cells_each) + cell % cells_each);
  }
  void mark(int cell) const {
    (void)armature::fetch_add(marks.on(cell / cells_each) + cell % cells_each, 1L);
  }
};

class Swarm {
 public:
  Swarm() = default;
  explicit Swarm(int number) : chance_(static_cast<std::uint32_t>(number) * 747'796'405U + 1) {
    // The swarms of one corner are the largest.
    places_.assign(static_cast<std::size_t>(number < 6 ? 400 : 20), number * cells / swarm_count);
  }
  void define_type(armature::typer& t) {
    t.local(chance_);
    t.local(places_);
  }

  void step(armature::shared_ref<Ground> ground) {
    const Ground& here = ground.local();
    ground.async(0, &Ground::feel, walk([&](int cell) {
                   here.mark(cell);
                   return here.read(cell);
                 }));
  }
  /// The heat that all felt.
  template <class Visit>
  long walk(Visit visit) {
    long felt = 0;
    for (int& place : places_) {
      chance_ = chance_ * 1'664'525U + 1'013'904'223U;
      place = (place + cells + static_cast<int>(chance_ >> 30) - 1) % cells;
      felt += visit(place);
    }
    return felt;
  }

 private:
  std::uint32_t chance_ = 1;
  std::vector<int> places_;
};

struct Result {
  long heat = 0, felt = 0, weighted_marks = 0;
  friend bool operator==(const Result&, const Result&) = default;
};

Result alone() {
  std::vector<long> heat, marks(cells);
  for (int cell = 0; cell < cells; ++cell) heat.push_back(heat_at_first(cell));
  std::vector<Swarm> swarms;
  for (int number = 0; number < swarm_count; ++number) swarms.emplace_back(number);
  Result result;
  for (int step = 0; step < steps; ++step) {
    const std::vector<long> before = heat;
    for (std::size_t cell = 0; cell < cells; ++cell) {
      const std::size_t right = (cell + 1) % cells;
      heat[cell] -= flow(before[cell], before[right]);
      heat[right] += flow(before[cell], before[right]);
    }
    for (Swarm& swarm : swarms)
      result.felt += swarm.walk([&](int cell) {
        ++marks[static_cast<std::size_t>(cell)];
        return heat[static_cast<std::size_t>(cell)];
      });
  }
  for (std::size_t cell = 0; cell < cells; ++cell) {
    result.heat += heat[cell];
    result.weighted_marks += static_cast<long>(cell) * marks[cell];
  }
  return result;
}

/// One step of the heat: my edges to my neighbours, then my cells.
void spread(World& world, Ground& ground, armature::Piece<long>& edges) {
  const int ranks = world.size(), me = world.rank();
  const auto last = static_cast<std::size_t>(ground.cells_each) - 1;
  armature::put(edges.on((me + 1) % ranks), ground.heat[last]);
  armature::put(edges.on((me + ranks - 1) % ranks) + 1, ground.heat[0]);
  world.barrier();
  long flows_in = flow(edges[0], ground.heat[0]);
  for (std::size_t cell = 0; cell <= last; ++cell) {
    const long right = cell == last ? edges[1] : ground.heat[cell + 1];
    const long flows_out = flow(ground.heat[cell], right);
    ground.heat[cell] += flows_in - flows_out;
    flows_in = flows_out;
  }
  world.barrier();
}

Result together(World& world) {
  armature::shared<Ground> ground(world);
  ground->cells_each = cells / world.size();
  const auto count = static_cast<std::size_t>(ground->cells_each);
  ground->heat = world.allocate<long>(count);
  ground->marks = world.allocate<long>(count);
  auto edges = world.allocate<long>(2);
  const int first = world.rank() * ground->cells_each;
  for (std::size_t cell = 0; cell < count; ++cell)
    ground->heat[cell] = heat_at_first(first + static_cast<int>(cell));
  armature::object_array<Swarm, int> swarms(world, armature::all_indices(swarm_count),
                                            [](int number) { return Swarm(number); });
  swarms.measure(true);
  for (int step = 0; step < steps; ++step) {
    spread(world, *ground, edges);
    if (world.rank() == 0) swarms.broadcast(&Swarm::step, ground.ref());
    swarms.fence();  // the swarms have walked, and the ledger has heard of it
    if (step % 10 == 4) (void)armature::rebalance(swarms, {.log = step == 4});
  }
  world.barrier();
  Result mine{.felt = ground->felt};
  for (std::size_t cell = 0; cell < count; ++cell) {
    mine.heat += ground->heat[cell];
    mine.weighted_marks += (first + static_cast<long>(cell)) * ground->marks[cell];
  }
  return {allreduce(world, mine.heat), allreduce(world, mine.felt),
          allreduce(world, mine.weighted_marks)};
}

}  // namespace

int main(int argc, char** argv) {
  return armature::run(argc, argv, [](World& world) {
    if (cells % world.size() != 0) armature::abort(2, "the number of ranks must divide 960");
    const Result result = together(world);
    const bool good = result == alone();
    if (world.rank() == 0)
      std::printf("heat %ld, felt %ld, marks %ld: %s\n", result.heat, result.felt,
                  result.weighted_marks, good ? "as by one rank alone" : "WRONG");
    return good ? 0 : 1;
  });
}
