// Containers in jobs with service threads: each is used by its rank alone, and nothing of what
// comes meanwhile is lost. The same holds without them; see CMakeLists.txt for the jobs.
#include <cstddef>
#include <functional>
#include <stdexcept>
#include <string>
#include <vector>

#include "cases.hpp"

namespace service_cases {

using containers::me;
using containers::ranks;
using containers::world;

constexpr int rounds = 300;
using Map = armature::distributed_map<int, long>;

bool has_service() { return armature::rmi_settings().service_thread; }

/// A method that looks into a map, beside its rank at times.
long look_up(armature::map_ref<int, long> map, int key) {
  try {
    return map.find(key).value_or(-1);
  } catch (const armature::Error& error) {
    return error.code() == armature::Errc::misuse ? -2 : -3;
  }
}
/// A method that makes one-way calls of every container.
void add_to(armature::map_ref<int, long> map, armature::list_ref<long> list,
            armature::graph_ref<long, armature::no_data> graph, armature::vector_ref<long> vector) {
  map.async_combine(3, 1L);
  list.async_push_back(me(), 1L);
  graph.async_visit(0, [](auto vertex) { ++vertex.data(); });
  vector.async_visit(0, [](long& element) { ++element; });
}

TEST(ServiceThreads, leave_each_part_to_its_rank_while_it_looks_at_it) {
  Map map(world());
  armature::distributed_set<int> set(world());
  armature::distributed_list<long> list(world());
  armature::distributed_graph<long> graph(world(), 40);
  armature::distributed_vector<std::vector<long>> buckets(world(), 20);
  long seen = 0;
  for (int i = 0; i < rounds; ++i) {
    map.async_combine(i % 50, 1L);
    set.async_insert(i % 70);
    list.async_deal(i);
    graph.async_add_edge(static_cast<std::size_t>(i % 40), 0);
    graph.async_visit(static_cast<std::size_t>(i % 40), [](auto vertex) { ++vertex.data(); });
    buckets.async_visit(
        static_cast<std::size_t>(i % 20),
        [](std::vector<long>& bucket, long x) { bucket.push_back(x); }, static_cast<long>(i));
    // Others' calls come in beside this, where there are service threads.
    for (const auto& [key, value] : map.local()) seen += value;
    for (const int key : set.local()) seen += key;
    for (const long value : list.local()) seen += value;
    for (const auto vertex : graph.local()) seen += static_cast<long>(vertex.edges().size());
    for (const auto& bucket : buckets.local()) seen += static_cast<long>(bucket.size());
  }
  EXPECT_GE(seen, 0);
  const long all = static_cast<long>(rounds) * ranks();
  EXPECT_EQ(map.transform_reduce(0L, std::plus<>(), [](int, long n) { return n; }), all);
  EXPECT_EQ(set.size(), 70U);
  EXPECT_EQ(list.size(), static_cast<std::size_t>(all));
  EXPECT_EQ(graph.edge_count(), static_cast<std::size_t>(all));
  buckets.fence();
  long visits = 0, pushed = 0;
  for (const auto vertex : graph.local()) visits += vertex.data();
  for (const auto& bucket : buckets.local()) pushed += static_cast<long>(bucket.size());
  EXPECT_EQ(allreduce(world(), visits), all);
  EXPECT_EQ(allreduce(world(), pushed), all);
}

TEST(ServiceThreads, two_way_calls_are_answered_by_the_rank) {
  Map map(world());
  armature::distributed_vector<std::string> words(world(), 60);
  armature::distributed_graph<long> graph(world(), 60);
  if (me() == 0)
    for (int i = 0; i < 60; ++i) {
      map.async_assign(i, i);
      words[static_cast<std::size_t>(i)] = std::to_string(i);
    }
  map.fence();
  words.fence();
  for (int i = 0; i < 60; ++i) {
    const auto at = static_cast<std::size_t>(i);
    EXPECT_EQ(map.find(i), i);
    EXPECT_EQ(static_cast<std::string>(words[at]), std::to_string(i));
    EXPECT_EQ(words.visit(at, [](std::string& word) { return word + "!"; }),
              std::to_string(i) + "!");
    EXPECT_EQ(graph.visit(at, [](auto vertex) { return vertex.id(); }), at);
    EXPECT_EQ(map.visit(
                  i, [](int, long& value, long by) { return value * by; }, 3L),
              3L * i);
  }
  try {
    (void)map.visit(5, [](int, long&) -> long { throw std::runtime_error("no fives"); });
    ADD_FAILURE();
  } catch (const armature::RemoteError& error) {
    EXPECT_NE(std::string(error.what()).find("no fives"), std::string::npos);
  }
  world().barrier();
}

/// A visitor that waits for a visitor elsewhere, which waits in turn.
struct Deeper {
  std::size_t step = 7;
  long operator()(armature::graph_vertex<long, armature::no_data> vertex, int more) const {
    if (more == 0) return 1;
    return 1 + vertex.graph().visit((vertex.id() + step) % 20, *this, more - 1);
  }
};

TEST(ServiceThreads, visitors_may_wait_for_visitors) {
  armature::distributed_graph<long> graph(world(), 20);
  for (std::size_t i = 0; i < 20; ++i) EXPECT_EQ(graph.visit(i, Deeper(), 12), 13);
  graph.fence();
}

// Several such chains are at one rank, which together are longer than one may be.
TEST(ServiceThreads, chains_of_visitors_end_at_the_limit) {
  if (!has_service()) return;  // visitors at a rank itself are plain calls
  armature::distributed_graph<long> graph(world(), 20);
  const int most = static_cast<int>(armature::rmi_settings().nesting_max);
  EXPECT_EQ(graph.visit(0, Deeper{0}, most / 2), most / 2 + 1);
  EXPECT_EQ(graph.visit(0, Deeper{0}, most - 1), most);
  EXPECT_THROW((void)graph.visit(0, Deeper{0}, most + 6), armature::Error);
  graph.fence();
}

TEST(ServiceThreads, methods_beside_a_rank_make_one_way_calls_alone) {
  Map map(world());
  armature::distributed_list<long> list(world());
  armature::distributed_graph<long> graph(world(), 5);
  armature::distributed_vector<long> vector(world(), 5);
  auto flag = world().allocate<int>(1);
  flag[0] = 0;
  if (me() == 0)
    for (int i = 0; i < 9; ++i) map.async_assign(i, 10L + i);
  map.fence();
  if (has_service() && ranks() > 1) {
    if (me() == 0) {
      // The neighbour computes, so it is its service thread that looks. Until it has left the fence
      // it may look itself.
      long found = 13;
      while (found == 13) found = armature::sync(armature::Rank(1), look_up, map.ref(), 3);
      EXPECT_EQ(found, -2);
      armature::put(flag.on(1), 1);
    } else if (me() == 1) {
      while (__atomic_load_n(&flag[0], __ATOMIC_RELAXED) == 0) continue;
    }
  }
  world().barrier();
  const armature::Rank right((me() + 1) % ranks());
  for (int i = 0; i < rounds; ++i)
    armature::async(right, add_to, map.ref(), list.ref(), graph.ref(), vector.ref());
  armature::rmi_fence(world());
  const long all = static_cast<long>(rounds) * ranks();
  EXPECT_EQ(map.find(3), 13 + all);
  EXPECT_EQ(list.size(), static_cast<std::size_t>(all));
  EXPECT_EQ(graph.visit(0, [](auto vertex) { return vertex.data(); }), all);
  EXPECT_EQ(vector.visit(0, [](long& element) { return element; }), all);
  world().barrier();
  world().free(flag);
}

}  // namespace service_cases
