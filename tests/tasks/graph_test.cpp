// Random loop nests of tasks leave the data as the serial program does.
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <random>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "armature/container.hpp"
#include "armature/task.hpp"
#include "conformance.hpp"

using armature::Errc;
using armature::reads;
using armature::writes;
using conformance::me;
using conformance::ranks;
using conformance::world;

namespace {

using Value = std::uint64_t;

/// Combines values as tasks do. Any other order gives another result.
Value combined(Value old, Value with) { return (old * 31 + with) * 0x9E3779B97F4A7C15 + 7; }

/// A task of the test: which items it reads and writes, different ones.
struct Step {
  std::vector<std::size_t> items;
  int kind;      // of task: what it reads and writes, and where it runs
  int executor;  // where it is chosen
  Value by;
};

std::vector<Step> random_steps(std::size_t count, std::size_t items, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<Step> steps;
  for (std::size_t i = 0; i < count; ++i) {
    Step step{std::vector<std::size_t>(items), static_cast<int>(random() % 6),
              static_cast<int>(random() % static_cast<Value>(ranks())), random()};
    std::iota(step.items.begin(), step.items.end(), std::size_t{0});
    std::shuffle(step.items.begin(), step.items.end(), random);
    step.items.resize(3);
    steps.push_back(std::move(step));
  }
  return steps;
}

/// Runs the steps one after the other; returns what those of kind 5 return.
std::vector<Value> run_serially(const std::vector<Step>& steps, std::vector<Value>& values) {
  std::vector<Value> results;
  for (const Step& step : steps) {
    Value& a = values[step.items[0]];
    Value& b = values[step.items[1]];
    Value& c = values[step.items[2]];
    switch (step.kind) {
      case 0:
        a = combined(a, step.by);
        break;
      case 1:
      case 2:
        b = combined(b, a);
        break;
      case 3:
      case 4:
        a = combined(a, c);
        b = combined(b, c);
        break;
      default:
        results.push_back(combined(combined(a, b), c));
    }
  }
  return results;
}

struct One {
  Value by;
  void operator()(Value& a) const { a = combined(a, by); }
};
void add(const Value& a, Value& b) { b = combined(b, a); }
void add_to_both(Value& a, Value& b, const Value& c) {
  a = combined(a, c);
  b = combined(b, c);
}
Value sum(const Value& a, const Value& b, const Value& c) { return combined(combined(a, b), c); }

template <class Items>
std::vector<armature::task_result<Value>> spawn_all(armature::task_graph& graph, Items& items,
                                                    const std::vector<Step>& steps) {
  std::vector<armature::task_result<Value>> results;
  for (const Step& step : steps) {
    const auto a = items(step.items[0]), b = items(step.items[1]), c = items(step.items[2]);
    switch (step.kind) {
      case 0:
        graph.spawn(One{step.by}, writes(a));
        break;
      case 1:
        graph.spawn(add, reads(a), writes(b));
        break;
      case 2:
        graph.spawn_on(step.executor, add, reads(a), writes(b));
        break;
      case 3:
        graph.spawn(add_to_both, writes(a), writes(b), reads(c));
        break;
      case 4:
        graph.spawn_on(step.executor, add_to_both, writes(a), writes(b), reads(c));
        break;
      default:
        results.push_back(graph.spawn(sum, reads(a), reads(b), reads(c)));
    }
  }
  return results;
}

template <class Items>
void expect_items(const Items& items, const std::vector<Value>& expected) {
  for (std::size_t i = 0; i < expected.size(); ++i)
    if (items.owner(i) == me()) EXPECT_EQ(items.read(i), expected[i]) << "item " << i;
}

}  // namespace

TEST(TaskGraph, leaves_values_as_the_serial_program_does) {
  for (const std::uint64_t seed : {1, 2, 3, 4}) {
    const std::size_t count = 3 + seed * 7;
    const auto steps = random_steps(1500, count, seed);
    std::vector<Value> expected(count);
    const std::vector<Value> expected_results = run_serially(steps, expected);

    armature::task_graph graph(world());
    armature::task_data<Value> items(graph, count, [seed](std::size_t i) {
      return static_cast<int>((i * seed + i / 3) % static_cast<std::size_t>(ranks()));
    });
    const auto results = spawn_all(graph, items, steps);
    // Results are there before all is done, also elsewhere.
    for (std::size_t i = 0; i < results.size(); i += 50)
      EXPECT_EQ(results[i].get(), expected_results[i]);
    graph.wait();
    expect_items(items, expected);
    for (std::size_t i = static_cast<std::size_t>(me()); i < results.size(); i += 7)
      EXPECT_EQ(results[i].get(), expected_results[i]);
    world().barrier();

    // A graph goes on behind a wait.
    (void)spawn_all(graph, items, steps);
    (void)run_serially(steps, expected);
    graph.wait();
    expect_items(items, expected);
  }
}

TEST(TaskGraph, works_on_elements_of_vectors_and_of_slices) {
  const std::size_t count = 23;
  const auto steps = random_steps(1000, count - 5, 9);
  std::vector<Value> expected(count - 5, 3);
  (void)run_serially(steps, expected);
  armature::distributed_vector<Value> vector(world(), count, Value{3});
  {
    armature::task_graph graph(world());
    armature::task_elements<Value> items(graph, vector.slice(2, count - 3));
    (void)spawn_all(graph, items, steps);
    graph.wait();
    expect_items(items, expected);
  }
  const std::vector<Value> all = vector.read(0, count);
  for (std::size_t i = 0; i < count; ++i)
    EXPECT_EQ(all[i], i < 2 || i >= count - 3 ? 3 : expected[i - 2]);
  vector.fence();
}

TEST(TaskGraph, gives_blocks_of_vectors_as_spans) {
  const std::size_t size = 1000, length = 33;
  armature::distributed_vector<long> vector(world(), size);
  armature::task_graph graph(world());
  armature::task_blocks<long> blocks(graph, vector, length);
  std::size_t covered = 0;
  for (std::size_t b = 0; b < blocks.size(); ++b) {
    EXPECT_EQ(blocks.first(b), covered);
    EXPECT_LE(blocks.count(b), length);
    covered += blocks.count(b);
    graph.spawn(
        [first = blocks.first(b)](std::span<long> mine) {
          std::iota(mine.begin(), mine.end(), static_cast<long>(first));
        },
        writes(blocks(b)));
  }
  EXPECT_EQ(covered, size);
  // Each block gets the sum of the one before it.
  for (std::size_t b = 1; b < blocks.size(); ++b)
    graph.spawn(
        [](std::span<const long> before, std::span<long> mine) {
          mine[0] = std::accumulate(before.begin(), before.end(), mine[0]);
        },
        reads(blocks(b - 1)), writes(blocks(b)));
  const auto last = graph.spawn([](std::span<const long> mine) { return mine[0]; },
                                reads(blocks(blocks.size() - 1)));
  long expected = 0;
  for (std::size_t i = 0; i <= blocks.first(blocks.size() - 1); ++i)
    expected += static_cast<long>(i);
  EXPECT_EQ(last.get(), expected);
  graph.wait();
}

TEST(TaskGraph, sends_values_of_types_that_are_marshalled) {
  armature::task_graph graph(world());
  armature::task_data<std::vector<std::string>> lines(
      graph, 2, 3, [](std::size_t i, std::size_t j) { return static_cast<int>(i + j) % ranks(); });
  for (std::size_t turn = 0; turn < 20; ++turn)
    for (std::size_t j = 0; j < 3; ++j) {
      graph.spawn([turn](auto& to) { to.push_back(std::to_string(turn)); }, writes(lines(0, j)));
      graph.spawn([](const auto& from, auto& to) { to.push_back(from.back() + "!"); },
                  reads(lines(0, j)), writes(lines(1, (j + 1) % 3)));
    }
  const auto copy = graph.spawn([](const auto& all) { return all; }, reads(lines(1, 2))).get();
  ASSERT_EQ(copy.size(), 20U);
  for (std::size_t turn = 0; turn < 20; ++turn) EXPECT_EQ(copy[turn], std::to_string(turn) + "!");
  graph.wait();
}

TEST(TaskGraph, describes_more_tasks_than_may_be_unfinished) {
  armature::task_graph graph(world());
  armature::task_data<Value> items(graph, 4,
                                   [](std::size_t i) { return static_cast<int>(i) % ranks(); });
  constexpr std::size_t count = armature::task_graph::unfinished_max * 3;
  Value expected[4] = {};
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t from = i % 4, to = (i + 1) % 4;
    graph.spawn(add, reads(items(from)), writes(items(to)));
    expected[to] = combined(expected[to], expected[from]);
    EXPECT_LE(graph.part().engine().unfinished(), 2 * armature::task_graph::unfinished_max);
  }
  graph.wait();
  expect_items(items, std::vector<Value>(std::begin(expected), std::end(expected)));
}

TEST(TaskGraph, tasks_without_items_go_round_the_members) {
  armature::task_graph graph(world());
  std::size_t mine = 0;
  for (std::size_t i = 0; i < 1000; ++i) graph.spawn([&mine] { ++mine; });
  graph.wait();
  EXPECT_GE(mine, 1000U / static_cast<std::size_t>(ranks()));
  EXPECT_EQ(armature::allreduce(world(), mine), 1000U);
}

TEST(TaskGraph, tasks_may_call_other_ranks) {
  const armature::shared<long> counter(world(), 0L);
  armature::task_graph graph(world());
  for (int i = 0; i < 100; ++i)
    graph.spawn([ref = counter.ref(), i] {
      armature::sync(
          world().world_rank(i % ranks()), [](armature::shared_ref<long> to) { ++to.local(); },
          ref);
    });
  graph.wait();
  EXPECT_EQ(armature::allreduce(world(), *counter), 100);
}

TEST(TaskGraph, a_task_that_throws_is_known_to_all_and_the_graph_goes_on) {
  armature::task_graph graph(world());
  armature::task_data<Value> items(graph, 3, [](std::size_t) { return ranks() - 1; });
  const auto thrown = graph.spawn(
      [](const Value&) -> int {
        throw armature::Error(Errc::bad_argument, "item 1 is not as it should be");
      },
      reads(items(1)));
  int runs = 0;
  graph.spawn([&runs](Value&) { ++runs; }, writes(items(1)));
  conformance::expect_error(Errc::bad_argument, {"item 1 is not as it should be"},
                            [&] { graph.wait(); });
  conformance::expect_error(Errc::bad_argument, {"item 1 is not as it should be"},
                            [&] { (void)thrown.get(); });
  EXPECT_EQ(runs, 0);
  world().barrier();
  graph.spawn([](Value& x) { x = 5; }, writes(items(2)));
  graph.wait();
  expect_items(items, {0, 0, 5});
}

TEST(TaskGraph, mistakes_are_errors_that_name_them) {
  armature::task_graph graph(world());
  armature::task_data<Value> items(graph, 2, 3, [](std::size_t, std::size_t) { return 0; });
  conformance::expect_error(Errc::bad_argument, {"task_data", "item 6", "of 6"},
                            [&] { (void)items(6); });
  conformance::expect_error(Errc::bad_argument, {"task_data", "(2, 0)", "2 x 3"},
                            [&] { (void)items(2, 0); });
  conformance::expect_error(Errc::bad_argument, {"task_data", "(1, 3)", "2 x 3"},
                            [&] { (void)items(1, 3); });
  conformance::expect_error(Errc::bad_argument, {"task_graph::spawn", "item 4 twice"},
                            [&] { graph.spawn(add, reads(items(4)), writes(items(1, 1))); });
  conformance::expect_error(Errc::bad_rank, {"task_graph::spawn_on", "member 99"},
                            [&] { graph.spawn_on(99, One{1}, writes(items(0))); });
  conformance::expect_error(Errc::bad_argument, {"task_data", "item 1", "member 99"}, [&] {
    const armature::task_data<Value> others(graph, 2,
                                            [](std::size_t i) { return i == 0 ? 0 : 99; });
  });
  armature::distributed_vector<long> vector(world(), 4);
  conformance::expect_error(Errc::bad_argument, {"task_blocks", "no elements"},
                            [&] { const armature::task_blocks<long> blocks(graph, vector, 0); });
  graph.spawn_on(0, [&graph] {
    conformance::expect_error(Errc::misuse, {"task_graph::spawn", "may not spawn"},
                              [&] { graph.spawn([] {}); });
    conformance::expect_error(Errc::misuse, {"task_graph::wait", "its own graph"},
                              [&] { graph.wait(); });
  });
  graph.wait();
}

TEST(TaskGraph, members_that_spawn_different_tasks_are_told) {
  if (ranks() == 1) return;
  {
    armature::task_graph graph(world());
    if (me() != 0) graph.spawn([] {});
    conformance::expect_error(Errc::misuse, {"task_graph::wait", "0 to 1 tasks"},
                              [&] { graph.wait(); });
    conformance::expect_error(Errc::misuse, {"task_graph::spawn", "different tasks"},
                              [&] { graph.spawn([] {}); });
  }
  armature::task_graph graph(world());
  armature::task_data<Value> items(graph, 2, [](std::size_t) { return 0; });
  graph.spawn(One{1}, writes(items(me() == 0 ? 0 : 1)));
  conformance::expect_error(Errc::misuse, {"task_graph::wait", "1 tasks each"},
                            [&] { graph.wait(); });
}

TEST(TaskGraph, data_wait_for_their_tasks_when_they_end) {
  std::size_t runs = 0;
  {
    armature::task_graph graph(world());
    armature::task_data<Value> items(graph, 9,
                                     [](std::size_t i) { return static_cast<int>(i) % ranks(); });
    for (std::size_t i = 0; i < 900; ++i)
      graph.spawn(
          [&runs](const Value& a, Value& b) {
            b += a + 1;
            ++runs;
          },
          reads(items(i % 9)), writes(items((i + 1) % 9)));
  }
  EXPECT_EQ(armature::allreduce(world(), runs), 900U);
}
