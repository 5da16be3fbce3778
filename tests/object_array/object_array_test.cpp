#include <numeric>

#include <armature/object_array.hpp>
#include <armature/object_array/rebalance.hpp>

#include "conformance.hpp"

using namespace conformance;
using armature::Errc;
using armature::object_array;

namespace {

/// Describes itself, as what moves does that is more than its bytes.
class Cell {
 public:
  Cell() = default;
  explicit Cell(long start) : sum_(start) {}
  void define_type(armature::typer& t) {
    t.local(sum_);
    t.local(seen_);
  }

  void add(int caller, long n) {
    sum_ += n;
    seen_.emplace_back(caller, n);
  }
  long sum() const { return sum_; }
  std::vector<std::pair<int, long>> seen() const { return seen_; }
  std::string join(std::string_view text, std::span<const int> numbers) const {
    return std::string(text) + std::to_string(std::accumulate(numbers.begin(), numbers.end(), 0));
  }
  void fail(int n) { throw std::out_of_range("no " + std::to_string(n)); }
  int chain(armature::object_array_ref<Cell, int> cells, int left) {
    return left == 0 ? 0 : 1 + cells[left - 1].sync(&Cell::chain, cells, left - 1);
  }

 private:
  long sum_ = 0;
  std::vector<std::pair<int, long>> seen_;
};

/// Travels by serialize, and with a pointer of its own.
struct Boxed {
  std::unique_ptr<std::string> text;
  template <class Archive>
  void serialize(Archive& archive) {
    archive(text);
  }
  std::string get() const { return text ? *text : "nothing"; }
  void set(const std::string& value) { text = std::make_unique<std::string>(value); }
};

enum class Fruit { apple, pear };

struct Counter {
  long value = 0;
  void bump() { ++value; }
  /// Makes so many statements in the middle.
  void step(armature::object_array_ref<Counter, int> all, int statements) {
    const long before = value;
    for (int i = 0; i < statements; ++i) all[1].async(&Counter::bump);
    value = before + 1;
  }
  long get() const { return value; }
};

}  // namespace

TEST(ObjectArray, dense_elements_are_called_by_everybody) {
  object_array<Cell, int> cells(world(), armature::all_indices(17));
  EXPECT_EQ(cells.size(), 17U);
  for (int i = 0; i < 17; ++i) cells[i].async(&Cell::add, me(), me() + i);
  cells.fence();
  const long members = ranks() * (ranks() - 1) / 2;
  EXPECT_EQ(cells[3].sync(&Cell::sum), members + 3 * ranks());
  EXPECT_EQ(cells.reduce(&Cell::sum), 17 * members + 136 * ranks());
  EXPECT_EQ(cells.reduce(&Cell::sum, armature::Maximum()), members + 16 * ranks());
  world().barrier();
}

TEST(ObjectArray, elements_are_made_of_their_index) {
  object_array<Cell, long> cells(world(), armature::all_indices(10L),
                                 [](long index) { return Cell(index * index); });
  for (long i = 0; i < 10; ++i) EXPECT_EQ(cells[i].ask(&Cell::sum).get(), i * i);
  long here = 0;
  cells.for_all([&](long index, Cell& cell) {
    EXPECT_EQ(cell.sum(), index * index);
    ++here;
  });
  EXPECT_EQ(allreduce(world(), here), 10);
}

TEST(ObjectArray, an_own_element_is_not_interrupted_by_its_statements) {
  object_array<Counter, int> counters(world());
  auto sent = world().allocate<long>(1);
  if (me() == 0) {
    counters[0].create();
    counters[1].create();
  }
  counters.fence();
  const int here = counters[0].member();
  constexpr int steps = 10, statements = 200;
  for (const int time : {1, 2}) {
    // The others' calls have come, and are let in behind this rank's.
    const auto wait = [&] {
      EXPECT_TRUE(eventually(
          [&] { return watch([&] { return *sent.on(here).address(); }) == time * (ranks() - 1); }));
    };
    if (me() == here && time == 2) {
      // Calls go between two fences, too.
      counters.for_all([&](int index, Counter& one) {
        if (index != 0) return;
        wait();
        one.step(counters.ref(), statements);
      });
      continue;
    }
    counters.fence();
    if (me() == here) {
      wait();
      counters[0].async(&Counter::step, counters.ref(), statements);
    } else {
      for (int i = 0; i < steps; ++i) counters[0].async(&Counter::step, counters.ref(), statements);
      (void)armature::fetch_add(sent.on(here), 1);
    }
    counters.fence();
  }
  const long expected = 2 * (steps * (ranks() - 1) + 1);
  EXPECT_EQ(counters[0].sync(&Counter::get), expected);
  EXPECT_EQ(counters[1].sync(&Counter::get), statements * expected);
  world().free(sent);
}

TEST(ObjectArray, indices_are_tuples_strings_and_more) {
  using Place = std::tuple<int, int>;
  object_array<Boxed, Place> grid(world(), armature::all_indices(3, 4));
  object_array<Boxed, std::pair<std::string, Fruit>> fruit(world());
  object_array<int, std::array<short, 2>> bytes(world());
  EXPECT_EQ(grid.size(), 12U);
  if (me() == 0) {
    grid[{2, 3}].async(&Boxed::set, "corner");
    fruit[{"green", Fruit::pear}].create();
    fruit[{"green", Fruit::pear}].async(&Boxed::set, "sweet");
    bytes[{1, 2}].create(12);
  }
  grid.fence();
  EXPECT_EQ(grid[Place(2, 3)].sync(&Boxed::get), "corner");
  EXPECT_EQ(grid[Place(0, 0)].sync(&Boxed::get), "nothing");
  EXPECT_EQ((fruit[{"green", Fruit::pear}].sync(&Boxed::get)), "sweet");
  EXPECT_FALSE((fruit[{"green", Fruit::apple}].exists()));
  EXPECT_EQ((bytes[{1, 2}].visit([](int value, int by) { return value * by; }, 2)), 24);
  EXPECT_EQ(bytes.size(), 1U);
}

TEST(ObjectArray, views_as_arguments_go_along) {
  object_array<Cell, int> cells(world(), armature::all_indices(5));
  const std::vector<int> numbers{1, 2, 3};
  for (int i = 0; i < 5; ++i) {
    EXPECT_EQ(cells[i].sync(&Cell::join, "sum ", numbers), "sum 6");
    EXPECT_EQ(cells[i].sync(&Cell::join, std::string("none "), std::span<const int>()), "none 0");
  }
  world().barrier();
}

TEST(ObjectArray, an_element_moves_with_what_it_has_and_is_found) {
  object_array<Cell, int> cells(world(), armature::all_indices(8));
  for (int turn = 0; turn < 20; ++turn)
    for (int i = 0; i < 8; ++i) {
      cells[i].async(&Cell::add, me(), turn);
      if (me() == 0) cells[i].move_to((i + turn) % ranks());
    }
  cells.fence();
  for (int i = 0; i < 8; ++i) {
    EXPECT_EQ(cells[i].member(), (i + 19) % ranks());
    EXPECT_EQ(cells[i].sync(&Cell::sum), 190 * ranks());
    std::vector<long> next(static_cast<std::size_t>(ranks()));
    for (const auto& [caller, turn] : cells[i].sync(&Cell::seen))
      EXPECT_EQ(turn, next[static_cast<std::size_t>(caller)]++) << "of rank " << caller;
  }
  world().barrier();
}

TEST(ObjectArray, one_member_plans_for_all) {
  object_array<Cell, int> cells(world(), armature::all_indices(8));
  std::size_t elsewhere = 0;
  for (int i = 0; i < 8; ++i) {
    cells[i].async(&Cell::add, me(), 1L);
    elsewhere += cells[i].member() != 0 ? 1 : 0;
  }
  const auto to_me = [](const armature::balance::Problem& problem) {
    return armature::balance::Plan(problem.items.size(), me());
  };
  EXPECT_EQ(armature::rebalance(cells, {.strategy = to_me}).moved, elsewhere);
  for (int i = 0; i < 8; ++i) {
    EXPECT_EQ(cells[i].member(), 0);
    EXPECT_EQ(cells[i].sync(&Cell::sum), ranks());
  }
  world().barrier();
}

TEST(ObjectArray, a_plan_that_fails_fails_for_all) {
  object_array<Cell, int> cells(world(), armature::all_indices(8));
  const auto fails = [](const armature::balance::Problem& problem) {
    if (me() == 0) throw armature::Error(Errc::misuse, "not today");
    return armature::balance::Plan(problem.items.size(), 0);
  };
  expect_error(me() == 0 ? Errc::misuse : Errc::bad_argument,
               {me() == 0 ? "not today" : "could not make a plan"},
               [&] { (void)armature::rebalance(cells, {.strategy = fails}); });
  EXPECT_EQ(cells.reduce(&Cell::sum), 0);
}

TEST(ObjectArray, calls_behind_a_long_one_keep_their_place) {
  object_array<Boxed, int> boxes(world(), armature::all_indices(1));
  const std::string letters(300'000, static_cast<char>('a' + me() % 26));
  for (int turn = 0; turn < 10; ++turn) {
    boxes[0].move_to(turn % ranks());
    boxes[0].async(&Boxed::set, letters);
    EXPECT_EQ(boxes[0].sync(&Boxed::get).size(), letters.size());
  }
  world().barrier();
}

TEST(ObjectArray, elements_come_and_go) {
  object_array<Cell, int> cells(world());
  const auto mine = cells[me()];
  for (int turn = 0; turn < 5; ++turn) {
    EXPECT_FALSE(mine.exists());
    mine.create_on(right(), 100L);
    mine.async(&Cell::add, me(), turn);
    EXPECT_EQ(mine.sync(&Cell::sum), 100 + turn);
    EXPECT_EQ(mine.member(), right());
    mine.destroy();
  }
  EXPECT_EQ(cells.size(), 0U);
  mine.async_create(5L);
  EXPECT_EQ(cells.size(), static_cast<unsigned>(ranks()));
  EXPECT_EQ(mine.sync(&Cell::sum), 5);
  mine.async_destroy();
  EXPECT_EQ(cells.size(), 0U);
}

TEST(ObjectArray, what_is_missing_or_twice_is_told_to_the_asker) {
  object_array<Cell, std::string> cells(world());
  expect_error(Errc::object_gone, {"there is no element \"nobody\"", "not created"},
               [&] { (void)cells["nobody"].sync(&Cell::sum); });
  expect_error(Errc::object_gone, {"\"nobody\""}, [&] { cells["nobody"].destroy(); });
  expect_error(Errc::object_gone, {"\"nobody\""}, [&] { (void)cells["nobody"].member(); });
  const auto mine = cells["of " + std::to_string(me())];
  mine.create();
  expect_error(Errc::misuse, {"already", "of " + std::to_string(me())}, [&] { mine.create(); });
  mine.destroy();
  expect_error(Errc::object_gone, {"destroyed"}, [&] { (void)mine.sync(&Cell::sum); });
  expect_error(Errc::bad_rank, {"member 99"}, [&] { mine.move_to(99); });
  expect_error(Errc::bad_rank, {"member -2"}, [&] { mine.create_on(-2); });
  cells.fence();
  expect_error(Errc::bad_argument, {"no elements"}, [&] { (void)cells.reduce(&Cell::sum); });
  expect_error(Errc::bad_argument, {"no elements"},
               [&] { (void)cells.section({}).reduce(&Cell::sum); });
  world().barrier();
}

TEST(ObjectArray, a_method_that_throws_is_told_with_its_text_and_rank) {
  object_array<Cell, int> cells(world(), armature::all_indices(4));
  for (int i = 0; i < 4; ++i) {
    const int where = cells[i].member();
    try {
      cells[i].sync(&Cell::fail, 7);
      ADD_FAILURE() << "nothing was thrown";
    } catch (const armature::RemoteError& error) {
      EXPECT_EQ(error.rank(), where);
      const std::string place =
          "rank " + std::to_string(where) + ": element " + std::to_string(i) + ": ";
      EXPECT_EQ(std::string(error.what()).find(place), 0U) << error.what();
      EXPECT_NE(std::string(error.what()).find("no 7"), std::string::npos) << error.what();
    }
  }
  world().barrier();
}

TEST(ObjectArray, statements_that_fail_are_told_where_they_were_made_or_ran) {
  object_array<Cell, int> cells(world(), armature::all_indices(1));
  std::vector<std::string> told;
  armature::on_async_error([&](armature::Rank, std::string_view text) { told.emplace_back(text); });
  world().barrier();
  cells[100 + me()].async(&Cell::add, 0, 0);
  cells.fence();
  ASSERT_EQ(told.size(), 1U);
  EXPECT_NE(told[0].find("no element " + std::to_string(100 + me())), std::string::npos) << told[0];
  told.clear();
  world().barrier();
  if (me() == 0) cells[0].async(&Cell::fail, 3);
  cells.fence();
  EXPECT_EQ(allreduce(world(), told.size()), 1U);
  if (!told.empty()) {
    EXPECT_NE(told[0].find("no 3"), std::string::npos) << told[0];
  }
  armature::on_async_error(nullptr);
  world().barrier();
}

TEST(ObjectArray, broadcasts_and_sections_reach_each_once) {
  object_array<Cell, int> cells(world(), armature::all_indices(20));
  if (me() == 0) cells[50].create(0L);
  world().barrier();
  cells.broadcast(&Cell::add, me(), 1L);
  cells.section({1, 3, 50}).async(&Cell::add, me(), 10L);
  cells[3].move_to(right());
  cells.fence();
  EXPECT_EQ(cells[0].sync(&Cell::sum), ranks());
  EXPECT_EQ(cells.section({0, 1, 50}).reduce(&Cell::sum), 23 * ranks());
  EXPECT_EQ(cells.section({3, 4}).ask(&Cell::sum).get(),
            (std::vector<long>{11 * ranks(), ranks()}));
  const long sum = cells.transform_reduce(1000L, std::plus<>(),
                                          [](int, const Cell& cell) { return cell.sum(); });
  EXPECT_EQ(sum, 1000 + 51L * ranks());
}

TEST(ObjectArray, chains_of_questions_among_elements_get_done_or_are_refused) {
  object_array<Cell, int> cells(world(), armature::all_indices(100));
  EXPECT_EQ(cells[20].sync(&Cell::chain, cells.ref(), 20), 20);
  EXPECT_TRUE(caught([&] { (void)cells[99].sync(&Cell::chain, cells.ref(), 99); }));
  world().barrier();
}

TEST(ObjectArray, elements_are_rebalanced_by_the_usual_strategy_and_whenever_that_is_called) {
  object_array<Cell, int> cells(world(), armature::all_indices(10));
  EXPECT_EQ(armature::rebalance(cells).moved, 0U);  // nothing was measured
  expect_error(Errc::bad_argument, {"when_due", "not for object arrays"},
               [&] { (void)armature::rebalance(cells, {.when_due = true}); });
  world().barrier();
}

TEST(ObjectArray, a_promise_is_kept_by_somebody_else) {
  using Promise = armature::remote_promise<std::vector<int>>;
  auto [answer, promise] = armature::make_promise<std::vector<int>>(right());
  armature::async(
      right(),
      [](Promise asked, int to) {
        armature::async(
            to, [](Promise it) { it.set(std::vector<int>(1000, armature::world().rank())); },
            asked);
      },
      promise, right(2));
  EXPECT_EQ(answer.get(), std::vector<int>(1000, right(2)));
  auto [none, refused] = armature::make_promise<void>(me());
  refused.fail(Errc::misuse, "not today");
  expect_error(Errc::misuse, {"not today"}, [&] { none.get(); });
  world().barrier();
}
