// Teams of more than 16: the first member of each node looks at what all show, combines it for all,
// and releases them; virtual ranks wait for that together. So results must be those of every other
// team, in team order, whatever their length, wherever the ranks are meanwhile; and what is
// combined must grow with the members, not with their square.
#include <array>
#include <cstdint>
#include <cstdlib>
#include <set>
#include <span>
#include <vector>

#include <armature/armature.hpp>
#include <armature/collectives.hpp>
#include <armature/locality.hpp>
#include <armature/rmi.hpp>
#include <armature/virtual.hpp>

namespace {

using armature::Team;
using armature::World;

void require(bool holds, const char* what) {
  if (!holds) armature::abort(3, what);
}

/// x -> factor * x + summand: to do one after the other is associative and does not commute.
template <std::size_t padding>
struct Change {
  std::uint64_t factor, summand;
  std::array<std::uint64_t, padding> more;
};

template <std::size_t padding>
Change<padding> change_of(int member, int round, std::size_t i) {
  const auto seed = static_cast<std::uint64_t>(member * 1000 + round) + i * 77;
  return {2 * seed + 1, seed * seed + 3, {}};
}

struct Then {
  template <class T>
  T operator()(const T& a, const T& b) const {
    return {a.factor * b.factor, a.summand * b.factor + b.summand, {}};
  }
};

template <std::size_t padding>
void reduce(const Team& team, int round, std::size_t count) {
  std::vector<Change<padding>> data(count);
  for (std::size_t i = 0; i < count; ++i) data[i] = change_of<padding>(team.rank(), round, i);
  armature::allreduce(team, std::span(data), Then{});
  for (std::size_t i = 0; i < count; i += 50) {
    auto all = change_of<padding>(0, round, i);
    for (int member = 1; member < team.size(); ++member)
      all = Then{}(all, change_of<padding>(member, round, i));
    require(data[i].factor == all.factor && data[i].summand == all.summand,
            "a reduction is not in team order");
  }
}

/// Short results, which lie beside the word that releases them, and long ones, in turn.
void reduce_all_lengths(const Team& team, int round) {
  reduce<0>(team, round, 1);
  reduce<0>(team, round, 3);
  if (round % 3 == 0) team.barrier();
  reduce<0>(team, round, 200);
  reduce<62>(team, round, 10);  // 5 KiB, in fewer elements than there are members
  reduce<0>(team, round, 2);
}

int nodes_of(const World& world) {
  std::set<int> nodes;
  for (int rank = 0; rank < world.size(); ++rank)
    nodes.insert(armature::node_of(armature::Rank(rank)).number());
  return static_cast<int>(nodes.size());
}

/// One member of each node combines for all.
void count_combinations(World& world) {
  std::int64_t combined = 0;
  const auto counting = [&combined](std::int64_t a, std::int64_t b) {
    ++combined;
    return a + b;
  };
  const std::int64_t size = world.size();
  require(allreduce(world, std::int64_t{1}, counting) == size, "a sum is wrong");
  require(allreduce(world, combined) == nodes_of(world) * (size - 1),
          "what a round combines grows faster than its members");
}

struct Mover {
  void go(int process) { armature::migrate(armature::ProcessId(process)); }
};

/// Ranks move between rounds, and while they wait in one.
void move_about(World& world) {
  const int processes = armature::hosting_processes();
  armature::shared<Mover> mover(world);
  for (int round = 0; round < 12; ++round) {
    if (world.rank() == round)
      for (int rank = 0; rank < world.size(); rank += 2)
        mover.async(rank, &Mover::go, (rank + round) % processes);
    if ((world.rank() + round) % 5 == 0)
      armature::migrate(armature::ProcessId((world.rank() + round) % processes));
    reduce_all_lengths(world, round);
    armature::rmi_fence();
  }
}

}  // namespace

int main(int argc, char** argv) {
  return armature::run(argc, argv, [argc, argv](World& world) {
    const bool moves = argc > 1 && std::atoi(argv[1]) != 0;
    for (int round = 0; round < 6; ++round) reduce_all_lengths(world, round);
    count_combinations(world);

    // Backwards, so that neighbours in the team are not neighbours in memory; and two at once.
    const Team half = world.split(world.rank() % 2, -world.rank());
    for (int round = 0; round < 6; ++round) {
      reduce_all_lengths(half, round);
      if (round % 2 == 0) reduce_all_lengths(world, round);
    }
    if (moves) move_about(world);
    world.barrier();
  });
}
