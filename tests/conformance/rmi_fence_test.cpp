// rmi_fence: everything that was called, and everything those calls called, is done.
#include <atomic>

#include "rmi.hpp"

using namespace conformance;
using armature::Errc;
using armature::shared;
using armature::shared_ref;
using armature::Team;

namespace {

struct Tree {
  /// Calls itself on two ranks per level: 2^depth leaves.
  void grow(shared_ref<Tree> all, int depth) {
    ++nodes;
    if (depth == 0) return;
    all.async(right(depth), &Tree::grow, all, depth - 1);
    all.async(right(), &Tree::grow, all, depth - 1);
  }
  /// Asks within: the fence must wait for methods that wait.
  void ask_and_pass(shared_ref<Tree> all, int hops) {
    (void)all.sync(right(), &Tree::get);
    ++nodes;
    if (hops > 0) all.async(right(), &Tree::ask_and_pass, all, hops - 1);
  }
  [[nodiscard]] long get() const { return nodes; }
  void add() { ++nodes; }
  void fence_inside() { armature::rmi_fence(); }
  long nodes = 0;
};

/// May be looked at while a service thread executes calls.
struct Count {
  void add() { calls.fetch_add(1, std::memory_order_relaxed); }
  std::atomic<long> calls = 0;
};

std::vector<Team> overlapping_teams() {
  std::vector<Team> teams{world().split(0, me()), world().split(me() % 2, me()),
                          world().split(me() / 2, -me())};
  return teams;
}

}  // namespace

RMI_TEST(RmiFence, waits_for_trees_of_calls) {
  shared<Tree> tree(world());
  tree.async(right(), &Tree::grow, tree.ref(), 10);
  armature::rmi_fence();
  EXPECT_EQ(allreduce(world(), tree->nodes), 2047L * ranks());
}

RMI_TEST(RmiFence, waits_for_methods_that_wait_themselves) {
  shared<Tree> tree(world());
  for (int i = 0; i < 5; ++i) tree.async(right(i), &Tree::ask_and_pass, tree.ref(), 20);
  armature::rmi_fence();
  EXPECT_EQ(allreduce(world(), tree->nodes), 5L * 21 * ranks());
}

RMI_TEST(RmiFence, may_be_called_again_and_again) {
  shared<Count> count(world());
  for (int round = 0; round < 500; ++round) {
    count.async(right(round), &Count::add);
    armature::rmi_fence();
    if (round % 50 == 0) {
      EXPECT_EQ(count->calls, round + 1);
      world().barrier();
    }
  }
}

RMI_TEST(RmiFence, ranks_may_come_late_and_work_meanwhile_as_slaves) {
  shared<Tree> tree(world());
  if (me() == 0) {
    for (int i = 0; i < 200; ++i) {
      EXPECT_GE(tree.sync(right(i), &Tree::get), 0);
      tree.async(right(i), &Tree::add);
    }
  }
  armature::rmi_fence();
  EXPECT_EQ(allreduce(world(), tree->nodes), 200);
}

RMI_TEST(RmiFence, overlaps_with_work) {
  shared<Tree> tree(world());
  tree.async(right(), &Tree::grow, tree.ref(), 8);
  auto fence = armature::fence_async(world());
  long asked = 0;
  for (int i = 0; i < 20; ++i) asked += tree.sync(right(i), &Tree::get) >= 0 ? 1 : 0;
  EXPECT_EQ(asked, 20);
  fence.wait();
  EXPECT_TRUE(fence.test());
  fence.get();
  armature::rmi_fence();
  EXPECT_EQ(allreduce(world(), tree->nodes), 511L * ranks());
}

RMI_TEST(RmiFence, a_continuation_of_a_fence_runs_once) {
  shared<Tree> tree(world());
  int over = 0;
  auto fence = armature::fence_async(world()).then([&] { ++over; });
  fence.get();
  EXPECT_EQ(over, 1);
  auto first = armature::fence_async(world());
  auto second = armature::fence_async(world());
  second.get();
  EXPECT_TRUE(first.test());
}

RMI_TEST(RmiFence, of_a_part_of_the_ranks_waits_for_calls_among_them) {
  const Team team = world().split(me() % 2, me());
  shared<Count> count(world());
  const int next = team.world_rank((team.rank() + 1) % team.size());
  for (int round = 1; round <= 20; ++round) {
    count.async(next, &Count::add);
    armature::rmi_fence(team);
    const long calls = count->calls.load(std::memory_order_relaxed);
    EXPECT_GE(calls, round);
    EXPECT_LE(calls, round + 1);  // one may have left the fence and called again
  }
  armature::rmi_fence();
}

RMI_TEST(RmiFence, of_several_teams_at_once) {
  shared<Tree> tree(world());
  const auto teams = overlapping_teams();
  for (int round = 0; round < 10; ++round) {
    for (const Team& team : teams)
      tree.async(team.world_rank((team.rank() + 1) % team.size()), &Tree::add);
    std::vector<armature::future<void>> fences;
    for (std::size_t i = 0; i < teams.size(); ++i)
      fences.push_back(armature::fence_async(teams[(i + static_cast<std::size_t>(me())) % 3]));
    armature::when_all(std::move(fences)).get();
    EXPECT_EQ(tree->nodes, 3 * (round + 1));
    armature::rmi_fence();
  }
}

RMI_TEST(RmiFence, of_a_team_that_came_after_another) {
  shared<Tree> tree(world());
  for (int round = 0; round < 30; ++round) {
    const Team team = world().split(me() % 3, round % 2 == 0 ? me() : -me());
    tree.async(team.world_rank((team.rank() + 1) % team.size()), &Tree::add);
    armature::rmi_fence(team);
    EXPECT_EQ(tree->nodes, round + 1);
  }
}

RMI_TEST(RmiFence, inside_a_method_is_a_mistake) {
  shared<Tree> tree(world());
  expect_error(Errc::misuse, {"rmi_fence", "inside a remote method"},
               [&] { tree.sync(right(), &Tree::fence_inside); });
}

RMI_TEST(RmiFence, what_was_written_by_methods_is_seen_by_all) {
  auto piece = world().allocate<long>(8);
  armature::rmi_fence();
  for (int i = 0; i < 8; ++i)
    armature::async(
        right(i),
        [](armature::global_ptr<long> at, long value) {
          armature::put(at, value);
          armature::fence(at.rank());
        },
        piece.on(right(i + 1)) + i, 100L * me() + i);
  armature::rmi_fence();
  for (int i = 0; i < 8; ++i) EXPECT_EQ(piece[static_cast<std::size_t>(i)], 100L * left(i + 1) + i);
  world().barrier();
  world().free(piece);
}
