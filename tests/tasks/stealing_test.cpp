// Tasks that idle members take from others: the data end as the serial program leaves them, and
// nobody waits for a task that its thief has no time for.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <random>
#include <span>
#include <string>
#include <vector>

#include "armature/container.hpp"
#include "armature/task.hpp"
#include "conformance.hpp"

namespace stealing_cases {

using armature::Errc;
using armature::reads;
using armature::writes;
using conformance::me;
using conformance::ranks;
using conformance::world;
using Value = std::uint64_t;

Value mixed(Value old, Value with) { return (old * 31 + with) * 0x9E3779B97F4A7C15 + 7; }

/// A random loop nest over some items, on a graph or serially: the same calls of `run`.
template <class Run>
void random_nest(std::size_t steps, std::size_t items, std::uint64_t seed, Run run) {
  std::mt19937_64 random(seed);
  for (std::size_t i = 0; i < steps; ++i) {
    const std::size_t a = random() % items, b = (a + 1 + random() % (items - 1)) % items;
    const Value by = random();
    run(i, a, b, by);
  }
}

armature::task_stealing_counts sum_of_all(const armature::task_graph& graph) {
  const armature::task_stealing_counts mine = graph.stealing();
  return {armature::allreduce(world(), mine.given), armature::allreduce(world(), mine.taken),
          armature::allreduce(world(), mine.sent_back)};
}

TEST(Stealing, leaves_values_and_results_as_the_serial_program_does) {
  for (const std::uint64_t seed : {1, 2, 3}) {
    const std::size_t count = 2 + seed * 9;
    std::vector<Value> expected(count), results;
    armature::task_graph graph(world());
    // Most are member 0's, so that others are idle.
    armature::task_data<Value> items(
        graph, count, [](std::size_t i) { return i % 4 == 3 ? static_cast<int>(i) % ranks() : 0; });
    std::vector<armature::task_result<Value>> futures;
    random_nest(1200, count, seed, [&](std::size_t i, std::size_t a, std::size_t b, Value by) {
      if (i % 5 == 0) {
        graph.spawn([by](Value& x) { x = mixed(x, by); }, writes(items(a)));
        expected[a] = mixed(expected[a], by);
      } else if (i % 5 == 1) {
        futures.push_back(graph.spawn_stealable(
            [by](const Value& x, Value& y) {
              y = mixed(y, x);
              return mixed(y, by);
            },
            reads(items(a)), writes(items(b))));
        expected[b] = mixed(expected[b], expected[a]);
        results.push_back(mixed(expected[b], by));
      } else {
        graph.spawn_stealable([by](Value& x, const Value& y) { x = mixed(x, y + by); },
                              writes(items(a)), reads(items(b)));
        expected[a] = mixed(expected[a], expected[b] + by);
      }
    });
    for (std::size_t i = 0; i < futures.size(); i += 20) EXPECT_EQ(futures[i].get(), results[i]);
    world().barrier();  // a member in it sends back what comes
    graph.wait();
    for (std::size_t i = 0; i < count; ++i)
      if (items.owner(i) == me()) EXPECT_EQ(items.read(i), expected[i]) << "item " << i;
    for (std::size_t i = static_cast<std::size_t>(me()); i < futures.size(); i += 7)
      EXPECT_EQ(futures[i].get(), results[i]);
    const armature::task_stealing_counts all = sum_of_all(graph);
    EXPECT_EQ(all.given, all.taken);
  }
}

/// Counts itself at rank 0 and returns when so many have begun: each at a member of its own.
void meet(armature::shared_ref<int> begun, int all) {
  const armature::Rank first = world().world_rank(0);
  armature::async(
      first, [](armature::shared_ref<int> of) { ++of.local(); }, begun);
  while (armature::sync(
             first, [](armature::shared_ref<int> of) { return of.local(); }, begun) < all)
    armature::rmi_poll();
}

TEST(Stealing, each_idle_member_gets_a_task_of_the_one_that_has_all) {
  const armature::shared<int> begun(world(), 0);
  armature::task_graph graph(world());
  armature::task_data<int> items(graph, static_cast<std::size_t>(ranks()),
                                 [](std::size_t) { return 0; });
  for (std::size_t i = 0; i < items.size(); ++i)
    graph.spawn_stealable(
        [ref = begun.ref(), all = ranks()](int& by) {
          meet(ref, all);
          by = me() + 1;
        },
        writes(items(i)));
  graph.wait();
  const armature::task_stealing_counts counts = graph.stealing();
  EXPECT_EQ(counts.given, me() == 0 ? static_cast<std::uint64_t>(ranks()) - 1 : 0);
  EXPECT_EQ(counts.taken, me() == 0 ? 0U : 1U);
  if (me() != 0) return;
  std::vector<int> by;
  for (std::size_t i = 0; i < items.size(); ++i) by.push_back(items.read(i));
  std::ranges::sort(by);
  for (int m = 0; m < ranks(); ++m) EXPECT_EQ(by[static_cast<std::size_t>(m)], m + 1);
}

TEST(Stealing, members_whose_task_waits_send_back_what_else_they_get) {
  if (ranks() < 3) return;
  const armature::shared<int> begun(world(), 0), may_end(world(), 0);
  armature::task_graph graph(world());
  armature::task_data<int> items(graph, 4, [](std::size_t i) { return i < 2 ? 1 : 0; });
  for (std::size_t i = 0; i < 2; ++i)  // by members that member 0 knows to be idle
    graph.spawn_stealable(
        [begun = begun.ref(), may_end = may_end.ref()](int& /*item*/) {
          meet(begun, 3);
          meet(may_end, 3);
        },
        writes(items(i)));
  if (me() == 0) meet(begun.ref(), 3);
  std::vector<armature::task_result<int>> results;
  for (std::size_t i = 2; i < 4; ++i)
    results.push_back(graph.spawn_stealable([](int& item) { return ++item; }, writes(items(i))));
  if (me() == 0) {
    for (const auto& result : results) EXPECT_EQ(result.get(), 1);
    meet(may_end.ref(), 3);
  }
  graph.wait();
}

TEST(Stealing, tasks_that_nobody_may_steal_stay) {
  armature::task_graph graph(world());
  std::size_t mine = 0;
  for (int i = 0; i < 300; ++i) {
    graph.spawn_on(0, [&mine] { ++mine; });
    if (i % 3 == 0) graph.spawn_stealable([] {});
  }
  graph.wait();
  EXPECT_EQ(mine, me() == 0 ? 300U : 0U);
}

TEST(Stealing, what_a_stolen_task_throws_is_known_to_all) {
  if (ranks() == 1) return;
  const armature::shared<int> begun(world(), 0);
  armature::task_graph graph(world());
  armature::task_data<Value> items(graph, static_cast<std::size_t>(ranks()),
                                   [](std::size_t) { return 0; });
  std::vector<armature::task_result<int>> results;
  for (std::size_t i = 0; i < items.size(); ++i)
    results.push_back(graph.spawn_stealable(
        [ref = begun.ref(), all = ranks()](Value& x) -> int {
          meet(ref, all);
          if (me() == 1) throw armature::Error(Errc::bad_argument, "member 1 finds it wrong");
          return static_cast<int>(x += 3);
        },
        writes(items(i))));
  conformance::expect_error(Errc::bad_argument, {"member 1 finds it wrong"}, [&] { graph.wait(); });
  int threw = 0;
  for (const auto& result : results) {
    try {
      EXPECT_EQ(result.get(), 3);
    } catch (const armature::Error& error) {
      EXPECT_EQ(error.code(), Errc::bad_argument);
      ++threw;
    }
  }
  EXPECT_EQ(threw, 1);
  world().barrier();
  Value left = 0;  // the item of the failed one is as before
  for (std::size_t i = 0; me() == 0 && i < items.size(); ++i) left += items.read(i);
  EXPECT_EQ(left, me() == 0 ? 3U * (static_cast<Value>(ranks()) - 1) : 0U);
  graph.spawn_stealable([](Value& x) { x = 5; }, writes(items(0)));
  graph.wait();
  if (me() == 0) EXPECT_EQ(items.read(0), 5U);
}

TEST(Stealing, members_that_wait_for_something_else_send_tasks_back) {
  armature::task_graph graph(world());
  armature::task_data<std::vector<std::string>> lines(graph, 40, [](std::size_t) { return 0; });
  std::vector<armature::task_result<std::size_t>> sizes;
  for (std::size_t turn = 0; turn < 10; ++turn)
    for (std::size_t i = 0; i < 40; ++i)
      sizes.push_back(graph.spawn_stealable(
          [turn](std::vector<std::string>& line) {
            line.push_back(std::to_string(turn));
            return line.size();
          },
          writes(lines(i))));
  // All wait for a task, then for each other, again and again.
  for (std::size_t i = 0; i < sizes.size(); i += 13) {
    EXPECT_EQ(sizes[i].get(), i / 40 + 1);
    if (i % 2 == 0) world().barrier();
  }
  graph.wait();
  for (std::size_t i = 0; me() == 0 && i < 40; ++i) EXPECT_EQ(lines.read(i).size(), 10U);
}

/// A value that describes itself.
struct Described {
  std::string text;
  std::vector<int> numbers;
  void serialize(auto& archive) { archive(text, numbers); }
};

TEST(Stealing, values_that_describe_themselves_go_and_come_back) {
  armature::task_graph graph(world());
  armature::task_data<Described> values(
      graph, 6, [](std::size_t i) { return static_cast<int>(i) % std::min(2, ranks()); });
  for (int turn = 0; turn < 30; ++turn)
    for (std::size_t i = 0; i < 6; ++i)
      graph.spawn_stealable(
          [turn](Described& to, const Described& from) {
            to.text += static_cast<char>('a' + turn % 26);
            to.numbers.push_back(turn + static_cast<int>(from.numbers.size()));
          },
          writes(values(i)), reads(values((i + 1) % 6)));
  graph.wait();
  for (std::size_t i = 0; i < 6; ++i) {
    if (values.owner(i) != me()) continue;
    EXPECT_EQ(values.read(i).text, "abcdefghijklmnopqrstuvwxyzabcd");
    ASSERT_EQ(values.read(i).numbers.size(), 30U);
    for (int turn = 0; turn < 30; ++turn)  // the last one reads what the first has just written
      EXPECT_EQ(values.read(i).numbers[static_cast<std::size_t>(turn)],
                turn + turn + (i == 5 ? 1 : 0));
  }
}

TEST(Stealing, blocks_and_elements_go_and_come_back) {
  armature::distributed_vector<long> vector(world(), 600);
  armature::task_graph graph(world());
  armature::task_blocks<long> blocks(graph, vector, 50);
  for (int turn = 0; turn < 20; ++turn)
    for (std::size_t b = 0; b < blocks.size(); ++b)
      graph.spawn_stealable(
          [](std::span<long> mine, std::span<const long> next) {
            for (std::size_t i = 0; i < mine.size(); ++i) mine[i] += 1 + next[0] % 2;
          },
          writes(blocks(b)), reads(blocks((b + 1) % blocks.size())));
  graph.wait();
  std::vector<std::vector<long>> model(blocks.size());
  for (std::size_t b = 0; b < blocks.size(); ++b) model[b].assign(blocks.count(b), 0);
  for (int turn = 0; turn < 20 && blocks.size() > 1; ++turn)
    for (std::size_t b = 0; b < model.size(); ++b) {
      const long by = 1 + model[(b + 1) % model.size()][0] % 2;
      for (long& x : model[b]) x += by;
    }
  const std::vector<long> all = vector.read(0, 600);
  for (std::size_t b = 0, i = 0; b < model.size(); ++b)
    for (const long x : model[b]) EXPECT_EQ(all[i++], x);
  vector.fence();
}

}  // namespace stealing_cases
