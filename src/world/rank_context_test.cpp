#include "wait/rank_context.hpp"

#include <array>
#include <atomic>
#include <barrier>
#include <set>
#include <thread>

#include <gtest/gtest.h>

#include "armature/armature.hpp"
#include "harness/rank_threads.hpp"

namespace armature::wait {
namespace {

TEST(RankContext, ranks_of_one_process_are_told_apart) {
  std::array<RankContext*, 4> contexts{};
  harness::RankThreads(4).run([&](World& world) {
    contexts[static_cast<std::size_t>(world.rank())] = current_rank();
    EXPECT_EQ(&armature::world(), &world);
    EXPECT_EQ(current_rank()->space.me(), world.rank());
    EXPECT_EQ(allreduce(world, 1), 4);
  });
  EXPECT_EQ(std::set<RankContext*>(contexts.begin(), contexts.end()).size(), 4u);
}

TEST(RankContext, a_thread_that_sets_another_rank_is_that_rank) {
  std::array<RankContext*, 2> contexts{};
  std::barrier together(2);
  harness::RankThreads(2).run([&](World& world) {
    contexts[static_cast<std::size_t>(world.rank())] = current_rank();
    together.arrive_and_wait();
    if (world.rank() == 0) {
      // Works as a scheduler of fibers: each step of a rank is made by whoever sets it.
      for (int rank = 0; rank < 2; ++rank) {
        set_this_rank(contexts[static_cast<std::size_t>(rank)]);
        EXPECT_EQ(armature::world().rank(), rank);
        armature::notify(1 - rank);
      }
      for (int rank = 0; rank < 2; ++rank) {
        set_this_rank(contexts[static_cast<std::size_t>(rank)]);
        EXPECT_EQ(wait_notify(1 - rank), 1u);
      }
      set_this_rank(contexts[0]);
    }
    together.arrive_and_wait();
  });
}

TEST(RankContext, errors_name_the_rank_that_made_the_call) {
  harness::RankThreads(3).run([](World& world) {
    try {
      armature::notify(99);
      ADD_FAILURE() << "no error";
    } catch (const Error& error) {
      const std::string expected = "armature: rank " + std::to_string(world.rank()) + ": notify";
      EXPECT_EQ(std::string(error.what()).substr(0, expected.size()), expected);
    }
  });
}

TEST(RankContext, teams_that_ranks_of_one_process_make_are_different_teams) {
  std::array<std::uint32_t, 4> ids{};
  harness::RankThreads(4).run([&](World& world) {
    const auto rank = static_cast<std::size_t>(world.rank());
    const Team alone = Team::create(std::array{Rank(world.rank())});
    ids[rank] = alone.allocate<int>(1).table()->team;
    const Team half = world.split(world.rank() / 2, 0);
    EXPECT_EQ(allreduce(half, world.rank()), world.rank() < 2 ? 1 : 5);
  });
  EXPECT_EQ(std::set<std::uint32_t>(ids.begin(), ids.end()).size(), 4u);
}

TEST(RankContext, a_thread_that_runs_no_rank_may_transfer_but_not_speak_for_a_rank) {
  harness::RankThreads(2).run([](World& world) {
    const auto piece = world.allocate<int>(1);
    std::thread([&] {
      put(piece.on(1 - world.rank()), 7);
      EXPECT_FALSE(initialized());
      EXPECT_THROW(armature::notify(0), Error);
      EXPECT_THROW(put(piece.on(0) + (1 << 27), 7), Error);  // the check, too, needs no rank
    }).join();
    world.barrier();
    EXPECT_EQ(piece[0], 7);
  });
}

}  // namespace
}  // namespace armature::wait
