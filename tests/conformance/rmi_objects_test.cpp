// Objects that can be called: shared ones, those of one rank, and calls to what is gone.
#include <memory>
#include <string>

#include "rmi.hpp"

using namespace conformance;
using armature::Errc;
using armature::Rank;
using armature::remote;
using armature::shared;
using armature::shared_ref;

namespace {

struct Cell {
  explicit Cell(int v = 0) : value(v) {}
  void set(int v) { value = v; }
  void add(int v) { value += v; }
  [[nodiscard]] int get() const { return value; }
  int value;
};

/// Calls what it was told of.
struct Caller {
  void remember(remote<Cell> one, shared_ref<Cell> all) {
    cell = one;
    cells = all;
  }
  int call(Rank to) { return 100 * cell.sync(&Cell::get) + cells.sync(to, &Cell::get); }
  remote<Cell> cell;
  shared_ref<Cell> cells;
};

/// Tells its owner when it is destroyed.
struct Mourned {
  explicit Mourned(shared_ref<Cell> to) : told(to) {}
  Mourned(const Mourned&) = delete;
  Mourned& operator=(const Mourned&) = delete;
  ~Mourned() { told.local().value += 1; }
  int nothing() { return 0; }
  shared_ref<Cell> told;
};

/// Has a method that waits until the object is gone.
struct Outlived {
  explicit Outlived(shared_ref<Cell> to) : told(to) {}
  Outlived(const Outlived&) = delete;
  Outlived& operator=(const Outlived&) = delete;
  ~Outlived() { told.local().value += 1; }
  void nothing() {}
  void wait_for_the_end(remote<Outlived> me) {
    Cell& heard = told.local();  // nothing of the object is used any more
    while (!caught([&] { me.sync(&Outlived::nothing); })) {
    }
    heard.value += heard.value == 0 ? 10 : 100;
  }
  shared_ref<Cell> told;
};

struct Fragile {
  explicit Fragile(int n) {
    if (n < 0) throw std::invalid_argument("negative");
  }
};

}  // namespace

RMI_TEST(RmiObjects, each_member_has_its_own_representative) {
  shared<Cell> cell(world(), me() * 10);
  EXPECT_EQ(cell->value, me() * 10);
  EXPECT_EQ(&cell.local(), &*cell);
  EXPECT_EQ(cell.sync(right(), &Cell::get), right() * 10);
  EXPECT_EQ(cell.team().size(), ranks());
}

RMI_TEST(RmiObjects, an_object_of_a_sub_team_can_be_called_from_outside_it) {
  const auto team = world().split(me() % 2, me());
  shared<Cell> cell(team, me() + 1000);
  // Rank r's object, told to everybody.
  const auto all = allgather(world(), cell.ref());
  for (int to = 0; to < ranks(); ++to)
    EXPECT_EQ(all[static_cast<std::size_t>(to)].sync(to, &Cell::get), to + 1000);
  armature::rmi_fence();
  cell.broadcast(&Cell::add, 1);
  armature::rmi_fence();
  EXPECT_EQ(cell->value, me() + 1000 + team.size());
}

RMI_TEST(RmiObjects, a_rank_without_a_representative_says_so) {
  const auto team = world().split(me() == 0 ? 0 : 1, me());
  shared<Cell> others(team);  // so that every rank has objects at small numbers
  shared<Cell> cell(team, me());
  const auto all = allgather(world(), cell.ref());
  if (ranks() > 1) {
    const auto foreign = all[me() == 0 ? 1 : 0];
    expect_error(Errc::object_gone, {"object"}, [&] { (void)foreign.sync(me(), &Cell::get); });
    expect_error(Errc::object_gone, {"team"}, [&] { foreign.broadcast(&Cell::set, 1); });
    expect_error(Errc::object_gone, {"local"}, [&] { (void)foreign.local(); });
  }
  world().barrier();
}

RMI_TEST(RmiObjects, references_travel_and_may_be_kept) {
  shared<Caller> caller(world());
  shared<Cell> cells(world(), me());
  Cell own(me() + 50);
  armature::registered<Cell> registration(own);
  caller.async(right(), &Caller::remember, registration.ref(), cells.ref());
  EXPECT_EQ(caller.sync(right(), &Caller::call, right()), 100 * (me() + 50) + right());
  EXPECT_EQ(caller.sync(right(), &Caller::call, left()), 100 * (me() + 50) + left());
  armature::rmi_fence();
}

RMI_TEST(RmiObjects, objects_are_made_and_destroyed_on_other_ranks) {
  for (int to = 0; to < ranks(); ++to) {
    const remote<Cell> cell = armature::make_remote<Cell>(to, 5 + to);
    EXPECT_EQ(cell.rank(), Rank(to));
    cell.async(&Cell::add, 1);
    EXPECT_EQ(cell.sync(&Cell::get), 6 + to);
    EXPECT_EQ(cell.ask(&Cell::get).get(), 6 + to);
    armature::destroy(cell);
  }
}

RMI_TEST(RmiObjects, destroy_calls_the_destructor_once_after_the_calls_before) {
  shared<Cell> count(world());
  const auto mourned = armature::make_remote<Mourned>(right(), count.ref());
  (void)mourned.ask(&Mourned::nothing);
  armature::destroy(mourned);
  expect_error(Errc::object_gone, {"gone"}, [&] { armature::destroy(mourned); });
  armature::rmi_fence();
  EXPECT_EQ(count->value, 1);
}

RMI_TEST(RmiObjects, an_object_is_gone_at_once_but_destroyed_when_its_methods_are_over) {
  shared<Cell> count(world());
  const auto outlived = armature::make_remote<Outlived>(right(), count.ref());
  outlived.async(&Outlived::wait_for_the_end, outlived);
  armature::destroy(outlived);
  armature::rmi_fence();
  EXPECT_EQ(count->value, 11);
}

RMI_TEST(RmiObjects, a_constructor_that_throws_leaves_nothing) {
  expect_error(Errc::remote, {"negative"},
               [] { (void)armature::make_remote<Fragile>(right(), -1); });
  armature::destroy(armature::make_remote<Fragile>(right(), 1));
}

RMI_TEST(RmiObjects, only_objects_of_make_remote_can_be_destroyed) {
  shared<Cell> cell(world());
  expect_error(Errc::misuse, {"make_remote"}, [&] { armature::destroy(cell.on(right())); });
}

RMI_TEST(RmiObjects, a_stale_reference_does_not_reach_what_came_after) {
  const auto old = armature::make_remote<Cell>(right(), 1);
  armature::destroy(old);
  std::vector<remote<Cell>> later;
  for (int i = 0; i < 4 * ranks(); ++i) later.push_back(armature::make_remote<Cell>(right(), 2));
  expect_error(Errc::object_gone, {"rank", "object"}, [&] { (void)old.sync(&Cell::get); });
  auto future = old.ask(&Cell::get);
  expect_error(Errc::object_gone, {"object"}, [&] { (void)future.get(); });
  for (const auto& cell : later) {
    EXPECT_EQ(cell.sync(&Cell::get), 2);
    armature::destroy(cell);
  }
}

RMI_TEST(RmiObjects, an_async_to_what_is_gone_is_told_to_its_caller) {
  struct Told {
    int errors = 0;
    std::string text;
  } told;
  armature::on_async_error([&](Rank caller, std::string_view message) {
    EXPECT_EQ(caller, Rank(me()));
    told.text = message;
    ++told.errors;
  });
  const auto cell = armature::make_remote<Cell>(right(), 1);
  armature::destroy(cell);
  cell.async(&Cell::set, 1);
  armature::rmi_fence();
  EXPECT_EQ(told.errors, 1);
  EXPECT_NE(told.text.find("object"), std::string::npos) << told.text;
  armature::on_async_error(nullptr);
}

RMI_TEST(RmiObjects, a_method_that_throws_is_told_to_the_rank_where_it_ran) {
  int errors = 0;
  armature::on_async_error([&](Rank caller, std::string_view message) {
    EXPECT_EQ(caller, Rank(left()));
    EXPECT_NE(message.find("thrown"), std::string_view::npos) << message;
    ++errors;
  });
  world().barrier();  // where threads beside the ranks execute, calls may come at any time
  armature::async(right(), [] { throw std::runtime_error("thrown"); });
  armature::rmi_fence();
  EXPECT_EQ(errors, 1);
  armature::on_async_error(nullptr);
}

RMI_TEST(RmiObjects, ranks_there_are_not_are_errors) {
  shared<Cell> cell(world());
  for (const int rank : {-1, ranks(), 1 << 30}) {
    expect_error(Errc::bad_rank, {}, [&] { cell.async(rank, &Cell::set, 1); });
    expect_error(Errc::bad_rank, {}, [&] { (void)cell.sync(rank, &Cell::get); });
    expect_error(Errc::bad_rank, {}, [&] { (void)cell.ask(rank, &Cell::get); });
    expect_error(Errc::bad_rank, {}, [&] { armature::async(rank, [] {}); });
    expect_error(Errc::bad_rank, {}, [&] { (void)armature::make_remote<Cell>(rank, 1); });
  }
}

RMI_TEST(RmiObjects, an_object_destroyed_by_an_exception_does_not_wait_and_is_gone) {
  shared_ref<Cell> gone;
  try {
    shared<Cell> cell(world(), 1);
    gone = cell.ref();
    world().barrier();
    throw std::runtime_error("out");
  } catch (const std::runtime_error&) {
  }
  world().barrier();
  expect_error(Errc::object_gone, {}, [&] { (void)gone.sync(right(), &Cell::get); });
  world().barrier();
}

RMI_TEST(RmiObjects, many_shared_objects_can_live_and_die) {
  for (int round = 0; round < 100; ++round) {
    shared<Cell> first(world(), round);
    auto second = std::make_unique<shared<Cell>>(world(), -round);
    EXPECT_EQ(first.sync(right(), &Cell::get), round);
    EXPECT_EQ(second->sync(right(), &Cell::get), -round);
  }
}

RMI_TEST(RmiObjects, objects_may_be_made_for_others_while_they_make_shared_ones) {
  for (int round = 0; round < 30; ++round) {
    std::vector<armature::future<remote<Cell>>> made;
    for (int i = 0; i < 5; ++i)
      made.push_back(armature::ask(
          right(i), [](int n) { return armature::make_remote<Cell>(me(), n); }, i));
    shared<Cell> cell(world(), round);
    for (int i = 0; i < 5; ++i) {
      const auto one = made[static_cast<std::size_t>(i)].get();
      EXPECT_EQ(one.sync(&Cell::get), i);
      if (round % 2 == 0) armature::destroy(one);
    }
    EXPECT_EQ(cell.sync(right(), &Cell::get), round);
  }
}

RMI_TEST(RmiObjects, what_refers_to_none_is_an_error) {
  expect_error(Errc::object_gone, {}, [] { (void)shared_ref<Cell>().sync(right(), &Cell::get); });
  expect_error(Errc::object_gone, {}, [] { (void)remote<Cell>(right(), {}).sync(&Cell::get); });
  expect_error(Errc::object_gone, {}, [] { (void)shared_ref<Cell>().sync(me(), &Cell::get); });
}
