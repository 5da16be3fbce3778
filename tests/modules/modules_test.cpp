// Modules of a rank go on while others of it wait.
#include <algorithm>
#include <chrono>
#include <cstddef>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "armature/container.hpp"
#include "armature/rank_local.hpp"
#include "conformance.hpp"

using armature::Errc;
using armature::Module;
using armature::World;
using conformance::me;
using conformance::ranks;
using conformance::world;

namespace {

/// Collectives of several kinds, whose results tell whether two modules' have mixed.
long collectives(World& own, int count, long by) {
  long sum = 0;
  for (int i = 0; i < count; ++i) {
    sum += armature::allreduce(own, by * (own.rank() + 1) + i);
    sum += armature::broadcast(own, own.rank() == i % own.size() ? by + i : 0, i % own.size());
    if (i % 3 == 0) own.barrier();
  }
  return sum;
}
long expected_of(int count, long by) {
  long sum = 0;
  for (int i = 0; i < count; ++i)
    sum += by * ranks() * (ranks() + 1) / 2 + static_cast<long>(i) * ranks() + by + i;
  return sum;
}

}  // namespace

TEST(Modules, collectives_of_two_do_not_mix) {
  long b_sum = 0, c_sum = 0;
  {
    Module b = world().start_module([&](World& own) { b_sum = collectives(own, 200, 3); });
    Module c = world().start_module([&](World& own) { c_sum = collectives(own, 300, 1000); });
    EXPECT_EQ(collectives(world(), 100, 7), expected_of(100, 7));
    // Ranks wait for them in different orders.
    (me() % 2 == 0 ? b : c).wait();
    (me() % 2 == 0 ? c : b).wait();
  }
  EXPECT_EQ(b_sum, expected_of(200, 3));
  EXPECT_EQ(c_sum, expected_of(300, 1000));
}

TEST(Modules, one_goes_on_while_another_waits) {
  // The first on each rank waits for what the second of the rank before it writes.
  const auto word = world().allocate<std::uint64_t>(1);
  const int right = (me() + 1) % ranks();
  bool b_saw = false;
  Module b = world().start_module([&](World&) {
    armature::wait_until(&word[0], armature::Comparison::eq, std::uint64_t{5});
    b_saw = true;
  });
  Module c = world().start_module([&](World& own) {
    own.barrier();
    armature::put(word.on(right), std::uint64_t{5});
  });
  b.wait();
  EXPECT_TRUE(b_saw);
  c.wait();
  world().barrier();
  auto freed = word;
  world().free(freed);
}

TEST(Modules, have_the_rank_s_number_and_a_world_of_their_own) {
  World* const outer = &armature::world();
  Module one = world().start_module([&](World& own) {
    EXPECT_EQ(own.rank(), me());
    EXPECT_EQ(own.size(), ranks());
    EXPECT_EQ(&armature::world(), &own);
    EXPECT_NE(&own, outer);
    Module inner = own.start_module([&](World& innermost) {
      innermost.barrier();
      EXPECT_EQ(&armature::world(), &innermost);
    });
    own.barrier();
    inner.wait();
    EXPECT_EQ(&armature::world(), &own);
  });
  world().barrier();
  EXPECT_EQ(&armature::world(), outer);
  one.wait();
  EXPECT_EQ(&armature::world(), outer);
}

TEST(Modules, call_other_ranks_and_use_containers) {
  long sums[2] = {};
  std::vector<Module> all;
  for (const int k : {0, 1})
    all.push_back(world().start_module([&sums, k](World& own) {
      armature::distributed_map<int, long> map(own);
      for (int i = 0; i < 200; ++i) map.async_combine(i, static_cast<long>(k + 1));
      for (int i = 0; i < 20; ++i)
        sums[k] += armature::sync(
            own.world_rank((me() + i) % ranks()), [](long x) { return x + 1; }, long{i});
      map.fence();
      for (int i = 0; i < 200; ++i) EXPECT_EQ(map.find(i), (k + 1) * ranks());
      map.fence();
    }));
  for (Module& one : all) one.wait();
  EXPECT_EQ(sums[0], 210);
  EXPECT_EQ(sums[1], 210);
}

TEST(Modules, many_take_turns) {
  constexpr int count = 20;
  std::vector<int> order;
  std::vector<Module> all;
  for (int k = 0; k < count; ++k)
    all.push_back(world().start_module([&order, k](World& own) {
      for (int i = 0; i < 10; ++i) {
        order.push_back(k);
        own.barrier();
      }
    }));
  for (Module& one : all) one.wait();
  for (int k = 0; k < count; ++k) EXPECT_EQ(std::ranges::count(order, k), 10);
}

TEST(Modules, what_one_throws_is_thrown_by_wait) {
  Module one = world().start_module([](World& own) {
    own.barrier();
    throw std::runtime_error("this module fails");
  });
  EXPECT_THROW(
      {
        try {
          one.wait();
        } catch (const std::runtime_error& error) {
          EXPECT_STREQ(error.what(), "this module fails");
          throw;
        }
      },
      std::runtime_error);
  EXPECT_TRUE(one.has_ended());
  conformance::expect_error(Errc::misuse, {"Module::wait", "no module"}, [&] { one.wait(); });
}

TEST(Modules, exceptions_under_way_stay_with_theirs) {
  int caught = 0;
  const auto body = [&](World& own) {
    for (int i = 0; i < 20; ++i) {
      try {
        throw i;
      } catch (int inner) {
        own.barrier();  // others handle theirs meanwhile
        try {
          throw;
        } catch (int again) {
          caught += again == inner && again == i ? 1 : 0;
        }
      }
    }
  };
  Module b = world().start_module(body), c = world().start_module(body);
  b.wait();
  c.wait();
  EXPECT_EQ(caught, 40);
}

TEST(Modules, do_not_go_on_while_a_continuation_waits) {
  bool runs = false, has_met = false;
  auto answer = armature::ask(world().world_rank(me()), [] { return 1; });
  while (!answer.is_there()) armature::rmi_poll();
  Module other = world().start_module([&](World&) { has_met = runs; });
  // It is called at once, and what it waits for takes longer than a rank spins.
  auto after = answer.then([&](int) {
    runs = true;
    armature::sync(world().world_rank((me() + 1) % ranks()),
                   [] { std::this_thread::sleep_for(std::chrono::milliseconds(5)); });
    runs = false;
  });
  after.get();
  other.wait();
  EXPECT_FALSE(has_met);
  world().barrier();  // others may still call this rank
}

TEST(Modules, mistakes_are_errors_that_name_them) {
  conformance::expect_error(Errc::bad_argument, {"start_module", "100 bytes"},
                            [] { (void)world().start_module([](World&) {}, 100); });
  armature::sync(world().world_rank(me()), [] {
    conformance::expect_error(Errc::misuse, {"start_module", "remote method"},
                              [] { (void)world().start_module([](World&) {}); });
  });
  bool may_end = false;
  Module one = world().start_module([&](World&) {
    while (!may_end) armature::rmi_poll();
  });
  static armature::rank_local<Module*> of_rank;
  *of_rank = &one;
  armature::sync(world().world_rank(me()), [] {
    conformance::expect_error(Errc::misuse, {"Module::wait", "remote method"},
                              [] { (*of_rank)->wait(); });
  });
  EXPECT_TRUE(one && !one.has_ended());
  may_end = true;
  one.wait();  // as if nobody had asked before
  EXPECT_FALSE(one);
}

TEST(Modules, that_nobody_waits_for_end_with_their_handles) {
  int runs = 0;
  {
    const Module one = world().start_module([&](World& own) {
      own.barrier();
      ++runs;
    });
  }
  EXPECT_EQ(runs, 1);
}

TEST(Modules, of_a_team_allocate_memory_of_their_rank) {
  const armature::Rank here(me());
  Module one = armature::start_module(world().split(me() % 2, me()), [here](World& own) {
    const auto word = own.allocate_local<int>(1);
    EXPECT_EQ(word.rank(), here);
    own.free_local(word);
  });
  one.wait();
}

TEST(Modules, that_have_ended_may_be_dropped_inside_a_method) {
  static armature::rank_local<Module*> of_rank;
  Module own_one;
  *of_rank = &own_one;
  const auto drop = [] {
    Module& dropped = **of_rank;
    if (!dropped) return true;
    if (!dropped.has_ended()) return false;
    dropped.wait();
    // The method may run on the stack of the one that has ended last.
    const auto zeros = armature::world().allocate_local<char>(Module::stack_bytes);
    armature::world().free_local(zeros);
    return true;
  };
  for (int i = 0; i < 20; ++i) {
    own_one = world().start_module([](World& own) { own.barrier(); });
    Module other = world().start_module([](World& own) { own.barrier(); });
    world().barrier();
    while (!armature::sync(world().world_rank((me() + 1) % ranks()), drop)) armature::rmi_poll();
    other.wait();
    world().barrier();
    EXPECT_FALSE(own_one);
  }
}

TEST(Modules, move_with_their_rank) {
  if (!armature::can_migrate()) return;
  const int processes = armature::hosting_processes();
  const armature::ProcessId home = armature::process_of(world().world_rank(me()));
  const auto body = [&](World& own) {
    const std::string text = "rank " + std::to_string(me()) + " moves";  // on this stack
    for (int i = 0; i < 20; ++i) {
      if (i % 3 == me() % 3) {
        const armature::ProcessId to((i + me()) % processes);
        armature::migrate(to);
        EXPECT_EQ(armature::process_of(own.world_rank(me())), to);
      }
      EXPECT_EQ(armature::allreduce(own, 1), ranks());
      EXPECT_EQ(text, "rank " + std::to_string(me()) + " moves");
    }
  };
  Module b = world().start_module(body), c = world().start_module(body);
  body(world());
  b.wait();
  c.wait();
  armature::migrate(home);  // where the rank's tests are looked after
}
