// Ranks that take turns without end: who is more urgent has more of them, equals have as many as
// each other, and the least urgent ones still get on. Of ranks that are all ready, or all have a
// call to execute, the more urgent ones go first; so do those whose call is urgent.
#include <algorithm>
#include <atomic>
#include <iterator>
#include <vector>

#include <armature/armature.hpp>
#include <armature/rmi.hpp>
#include <armature/virtual.hpp>

#include "checks.hpp"

namespace {

using armature::World;

constexpr int ranks_max = 64, turns = 20'000;

// Variables of the process that hosts all ranks.
int taken[ranks_max];
bool is_over = false;

/// Takes turns until one rank has had so many.
void take_turns(World& world) {
  if (world.rank() == 0) {
    std::fill(std::begin(taken), std::end(taken), 0);
    is_over = false;
  }
  world.barrier();
  while (!is_over) {
    is_over = is_over || ++taken[world.rank()] == turns;
    armature::yield();
  }
  world.barrier();
}

void check_equals(World& world) {
  take_turns(world);
  const auto [least, most] = std::minmax_element(taken, taken + world.size());
  require(*least >= turns - 2 && *most <= turns, "equals have as many turns as each other");
  world.barrier();
}

void check_urgent_ones(World& world) {
  armature::set_priority(world.rank() % 2 == 0 ? -3 : 3);
  require(armature::priority() == (world.rank() % 2 == 0 ? -3 : 3), "it is what it was set to");
  take_turns(world);
  for (int rank = 0; rank < world.size(); ++rank) {
    if (rank % 2 != 0) require(taken[rank] > turns * 9 / 10, "the urgent ones share the turns");
    // One turn of 56 is theirs, of which there are as many as the others.
    if (rank % 2 == 0) require(taken[rank] >= turns / 64, "the others do not starve");
    if (rank % 2 == 0) require(taken[rank] <= turns / 8, "the others have fewer");
  }
  world.barrier();
  armature::set_priority(0);
}

int urgency_of(int rank) { return rank * 5 % 7 - 3; }

std::vector<int> went;  // in this order
int spinning = 0;
bool may_go = false;

/// How many would have to be left out for the others to be in the order of their urgency.
int out_of_order() {
  std::vector<int> kept;  // the longest that ends at each
  for (std::size_t i = 0; i < went.size(); ++i) {
    int longest = 0;
    for (std::size_t before = 0; before < i; ++before)
      if (urgency_of(went[before]) >= urgency_of(went[i]))
        longest = std::max(longest, kept[before]);
    kept.push_back(longest + 1);
  }
  return static_cast<int>(went.size()) - *std::max_element(kept.begin(), kept.end());
}

/// Rank 0 prepares, the others follow, each of which notes when it goes.
template <class Prepare, class Follow>
void check_order(World& world, Prepare prepare, Follow follow) {
  constexpr int rounds = 64;
  const int others = world.size() - 1;
  armature::set_priority(urgency_of(world.rank()));
  for (int round = 0; round < rounds; ++round) {
    if (world.rank() == 0) {
      went.clear();
      spinning = 0;
      may_go = false;
    }
    world.barrier();
    world.rank() == 0 ? prepare(others) : follow();
    while (world.rank() == 0 && static_cast<int>(went.size()) < others) armature::yield();
    world.barrier();
    if (world.rank() != 0) continue;
    require(static_cast<int>(went.size()) == others, "everybody went once");
    // One turn of eight is picked in another way, those in the barrier counted.
    require(out_of_order() <= (others + 7) / 8, "the urgent ones go first");
  }
  armature::set_priority(0);
}

void check_order_of_turns(World& world) {
  check_order(
      world,
      [](int others) {
        while (spinning < others) armature::yield();
        may_go = true;
      },
      [&world] {
        ++spinning;
        while (!may_go) armature::yield();
        went.push_back(world.rank());
      });
}

struct Called {
  int rank;
  void go() const { went.push_back(rank); }
};

void check_order_of_calls(World& world) {
  armature::shared<Called> called(world, int{world.rank()});
  check_order(
      world,
      [&](int others) {
        while (spinning < others) armature::yield();
        // All wait in the barrier by now.
        for (int turn = 0; turn < 100; ++turn) armature::yield();
        for (int rank = 1; rank <= others; ++rank) called.async(rank, &Called::go);
      },
      [] { ++spinning; });
}

/// Several ranks have a call to execute: the one goes first whose call is urgent. All are in the
/// process of `first`, which computes until all has come.
void check_expedited(World& world, armature::Rank sender, std::vector<int> called) {
  constexpr int rounds = 64;
  armature::shared<Called> object(world, int{world.rank()});
  auto released = world.allocate<int>(1);
  const int first = called.front(), urgent = called.back();
  called.erase(called.begin());
  int out_of_turn = 0;
  for (int round = 1; round <= rounds; ++round) {
    if (world.rank() == first) went.clear();
    world.barrier();
    if (world.rank() == first) {
      // Now all others wait in the next barrier.
      for (int turn = 0; turn < 100; ++turn) armature::yield();
      armature::put(released.on(sender), round);
      // Nobody has a turn meanwhile, unless the sender is one of them.
      while (std::atomic_ref(released[0]).load(std::memory_order_acquire) != round)
        if (armature::process_of(sender) == armature::process_of(first)) armature::yield();
    }
    if (world.rank() == sender) {
      while (std::atomic_ref(released[0]).load(std::memory_order_acquire) != round)
        armature::rmi_poll();
      for (const int rank : called) object.async(rank, &Called::go);
      armature::expedite(urgent, 3);
      armature::expedite(urgent, 1);  // no less because of that
      armature::put(released.on(first), round);
    }
    armature::rmi_fence();
    if (world.rank() == first) {
      require(went.size() == called.size(), "everybody went once");
      out_of_turn += went.front() != urgent ? 1 : 0;
    }
    world.barrier();
  }
  // One turn of eight is picked in another way.
  require(out_of_turn <= rounds / 4, "who has an urgent call goes first");
}

void check_expedited(World& world) {
  std::vector<int> last;  // those that the last process hosts
  const auto process = armature::process_of(world.size() - 1);
  for (int rank = 0; rank < world.size(); ++rank)
    if (armature::process_of(rank) == process) last.push_back(rank);
  if (last.front() == 0) last.erase(last.begin());
  require(last.size() >= 3, "several can be called");
  check_expedited(world, 0, last);
}

template <class Call>
void require_error(armature::Errc code, Call call) {
  try {
    call();
    require(false, "what cannot be");
  } catch (const armature::Error& error) {
    require(error.code() == code, "how that is told");
  }
}

void check_bounds(World& world) {
  for (const int priority : {-4, 4, 1000}) {
    require_error(armature::Errc::bad_argument, [=] { armature::set_priority(priority); });
    require_error(armature::Errc::bad_argument, [=] { armature::expedite(0, priority); });
  }
  for (const int rank : {-1, world.size()})
    require_error(armature::Errc::bad_rank, [=] { armature::expedite(rank, 0); });
}

/// It goes along.
void check_moves(World& world, int processes) {
  if (!armature::same_node(0, world.size() - 1)) return;
  armature::set_priority(2);
  for (int process = 0; process < processes; ++process) {
    armature::migrate(armature::ProcessId(process));
    require(armature::priority() == 2, "a rank that has moved has the same priority");
  }
  world.barrier();
  armature::set_priority(0);
}

}  // namespace

int main(int argc, char** argv) {
  return armature::run(argc, argv, [](World& world) {
    check_bounds(world);
    int processes = 1;
    for (int rank = 0; rank < world.size(); ++rank)
      processes = std::max(processes, armature::process_of(rank).number() + 1);
    world.barrier();
    if (armature::rank_kind() != armature::RankKind::fiber) {
      armature::set_priority(1);
      armature::expedite(0, 1);
      require(armature::priority() == 0, "nobody has turns to order");
      return;
    }
    check_expedited(world);
    if (processes > 1) return check_moves(world, processes);
    check_equals(world);
    check_urgent_ones(world);
    check_equals(world);
    check_order_of_turns(world);
    check_order_of_calls(world);
  });
}
