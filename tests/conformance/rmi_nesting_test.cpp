// Methods that ask questions themselves.
#include <string>

#include "rmi.hpp"

using namespace conformance;
using armature::Errc;
using armature::Rank;
using armature::shared;
using armature::shared_ref;

namespace {

int code_of_a_collective() {
  try {
    (void)allreduce(world(), 1);
  } catch (const armature::Error& error) {
    return static_cast<int>(error.code());
  }
  return -1;
}

struct Link {
  /// Goes round the ranks, each asking the next.
  int chain(shared_ref<Link> all, int left_to_go) {
    ++visits;
    return left_to_go == 0 ? me() : 1 + all.sync(right(), &Link::chain, all, left_to_go - 1);
  }
  /// As above, but counts for ever.
  int forever(shared_ref<Link> all) {
    ++visits;
    return 1 + all.sync(right(), &Link::forever, all);
  }
  /// Finds the rank `key`, each rank knowing only the next.
  Rank find(shared_ref<Link> all, int key) {
    if (key == me()) return me();
    return all.sync(right(), &Link::find, all, key);
  }
  int slow_get(shared_ref<Link> all) {
    const int before = value;
    (void)all.sync(right(), &Link::get);  // others may come in here
    return value - before;
  }
  void add(int n) { value += n; }
  [[nodiscard]] int get() const { return value; }
  /// A statement whose method asks, which makes a statement, ...
  void relay(shared_ref<Link> all, int hops) {
    ++visits;
    if (hops == 0) return;
    (void)all.sync(right(), &Link::relayed, all, hops - 1);
  }
  int relayed(shared_ref<Link> all, int hops) {
    all.async(right(), &Link::relay, all, hops);
    return 0;
  }
  int thrower(shared_ref<Link> all, int depth) {
    if (depth == 0) throw std::runtime_error("at the bottom");
    return all.sync(right(), &Link::thrower, all, depth - 1);
  }
  int visits = 0;
  int value = 0;
};

}  // namespace

// Rank 0 cannot come out of its collective before the last rank has come to it.
RMI_TEST(RmiNesting, a_method_that_runs_in_a_collective_enters_none_of_the_same_team) {
  if (ranks() < 2) GTEST_SKIP() << "needs 2 ranks";
  if (calls_come_at_any_time()) GTEST_SKIP() << "the method may run before the collective";
  world().barrier();
  if (me() == ranks() - 1) {
    EXPECT_EQ(armature::sync(0, code_of_a_collective), static_cast<int>(Errc::misuse));
  }
  EXPECT_EQ(allreduce(world(), 100), 100 * ranks());
  EXPECT_EQ(allreduce(world(), 1), ranks());
}

RMI_TEST(RmiNesting, a_chain_of_questions_goes_round_the_ranks) {
  shared<Link> link(world());
  for (const int length : {1, 2, 5, 20}) {
    EXPECT_EQ(link.sync(right(), &Link::chain, link.ref(), length),
              length + (me() + 1 + length) % ranks());
  }
}

RMI_TEST(RmiNesting, a_lookup_is_forwarded_until_it_is_found) {
  shared<Link> link(world());
  for (int key = 0; key < ranks(); ++key)
    EXPECT_EQ(link.sync(right(), &Link::find, link.ref(), key), Rank(key));
}

RMI_TEST(RmiNesting, others_come_in_while_a_method_waits_and_only_then) {
  shared<Link> link(world());
  int seen = 0;
  for (int i = 0; i < 200; ++i) {
    link.async(right(), &Link::add, 1);
    seen += link.sync(right(), &Link::slow_get, link.ref());
  }
  armature::rmi_fence();
  EXPECT_EQ(link->value, 200);
  EXPECT_GE(seen, 0);
}

RMI_TEST(RmiNesting, questions_without_end_are_an_error_at_the_asker_and_nothing_is_lost) {
  shared<Link> link(world());
  const With with(&armature::RmiSettings::nesting_max, 20U);
  world().barrier();
  for (int i = 0; i < 10; ++i) link.async(right(), &Link::add, 1);
  expect_error(Errc::nesting, {"limit"},
               [&] { (void)link.sync(right(), &Link::forever, link.ref()); });
  for (int i = 0; i < 10; ++i) link.async(right(), &Link::add, 1);
  armature::rmi_fence();
  EXPECT_EQ(link->value, 20);
  EXPECT_GE(link->visits, 1);
  world().barrier();
  EXPECT_EQ(link.sync(right(), &Link::chain, link.ref(), 3), 3 + (me() + 4) % ranks());
  world().barrier();
}

RMI_TEST(RmiNesting, one_rank_asking_itself_without_end_is_the_same) {
  struct Recursion {
    int look(shared_ref<Recursion> all) { return 1 + all.sync(me(), &Recursion::look, all); }
  };
  shared<Recursion> recursion(world());
  expect_error(Errc::nesting, {"limit"},
               [&] { (void)recursion.sync(me(), &Recursion::look, recursion.ref()); });
}

RMI_TEST(RmiNesting, statements_between_questions_begin_a_new_chain) {
  shared<Link> link(world());
  const With with(&armature::RmiSettings::nesting_max, 8U);
  world().barrier();
  int errors = 0;
  armature::on_async_error([&](Rank, std::string_view) { ++errors; });
  link.async(right(), &Link::relay, link.ref(), 100);
  armature::rmi_fence();
  EXPECT_EQ(errors, 0);
  EXPECT_EQ(allreduce(world(), link->visits), 101 * ranks());
  armature::on_async_error(nullptr);
}

RMI_TEST(RmiNesting, an_exception_passes_through_the_whole_chain) {
  shared<Link> link(world());
  expect_error(Errc::remote, {"at the bottom"},
               [&] { (void)link.sync(right(), &Link::thrower, link.ref(), 5); });
}

RMI_TEST(RmiNesting, questions_get_through_though_statements_stand_before_them_at_the_limit) {
  struct Busy {
    /// Asks back, after statements that may not run while the asker is at its limit.
    int back(shared_ref<Busy> all, Rank to, int depth) {
      for (int i = 0; i < 3; ++i) all.async(to, &Busy::note);
      return depth == 0 ? 1 : all.sync(to, &Busy::back, all, Rank(me()), depth - 1);
    }
    void note() { ++notes; }
    int notes = 0;
  };
  shared<Busy> busy(world());
  const With with(&armature::RmiSettings::nesting_max, 3U);
  world().barrier();
  if (me() == 0) {
    EXPECT_EQ(busy.sync(right(), &Busy::back, busy.ref(), Rank(0), 2), 1);
  }
  armature::rmi_fence();
  EXPECT_EQ(allreduce(world(), busy->notes), 9);
}
