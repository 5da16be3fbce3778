#include <algorithm>
#include <chrono>
#include <numeric>
#include <span>
#include <thread>

#include "armature/collectives_async.hpp"
#include "conformance.hpp"

// Collectives that return at once give what those that block give, however many are under way.
// Sizes lie around what a message carries in its ring, and what changes the algorithm.

using namespace conformance;
using armature::Handle;

namespace {

const std::size_t counts[] = {0, 1, 3, 100, 1500, 5000, 40'001, 200'003};

std::int64_t value(int rank, std::size_t i) {
  return static_cast<std::int64_t>(pattern(i, static_cast<std::size_t>(rank) + 7)) - 100;
}
std::vector<std::int64_t> values_of(int rank, std::size_t count) {
  std::vector<std::int64_t> data(count);
  for (std::size_t i = 0; i < count; ++i) data[i] = value(rank, i);
  return data;
}
std::vector<std::int64_t> sums(int members, std::size_t count, std::int64_t first = 0) {
  std::vector<std::int64_t> data(count, first);
  for (int rank = 0; rank < members; ++rank)
    for (std::size_t i = 0; i < count; ++i) data[i] += value(rank, i);
  return data;
}

/// An affine map: composition is associative and does not commute.
struct Map {
  std::uint32_t factor, term;
  bool operator==(const Map&) const = default;
};
Map map_of(int rank, std::size_t i) {
  return {static_cast<std::uint32_t>(2 * rank + 3), static_cast<std::uint32_t>(i) + 1};
}
struct Compose {
  Map operator()(Map f, Map g) const { return {f.factor * g.factor, f.term * g.factor + g.term}; }
};
std::vector<Map> maps_of(int rank, std::size_t count) {
  std::vector<Map> data(count);
  for (std::size_t i = 0; i < count; ++i) data[i] = map_of(rank, i);
  return data;
}
std::vector<Map> composed(int members, std::size_t count) {
  std::vector<Map> data = maps_of(0, count);
  for (int rank = 1; rank < members; ++rank)
    for (std::size_t i = 0; i < count; ++i) data[i] = Compose()(data[i], map_of(rank, i));
  return data;
}

template <class T>
std::span<const T> read(const std::vector<T>& data) {
  return data;
}

}  // namespace

TEST(AsyncCollectives, barrier_is_not_complete_before_everybody_is_in) {
  auto entered = world().allocate<int>(1);
  for (int round = 1; round <= often(100); ++round) {
    entered[0] = round;
    Handle barrier = barrier_async(world());
    barrier.wait();
    for (int rank = 0; rank < ranks(); ++rank) ASSERT_GE(armature::get(entered.on(rank)), round);
    world().barrier();
  }
  world().free(entered);
}

TEST(AsyncCollectives, broadcast_from_every_root_in_every_size) {
  for (const std::size_t count : counts) {
    for (int root = 0; root < ranks(); ++root) {
      auto data = me() == root ? values_of(root, count) : std::vector<std::int64_t>(count, -1);
      broadcast_async(world(), std::span(data), root).wait();
      EXPECT_EQ(data, values_of(root, count)) << count << " from " << root;
    }
  }
}

TEST(AsyncCollectives, allreduce_in_every_size) {
  for (const std::size_t count : counts) {
    auto data = values_of(me(), count);
    allreduce_async(world(), std::span(data)).wait();
    EXPECT_EQ(data, sums(ranks(), count)) << count;
  }
}

TEST(AsyncCollectives, operators_that_do_not_commute_are_applied_in_team_order) {
  for (const std::size_t count : counts) {
    auto data = maps_of(me(), count);
    allreduce_async(world(), std::span(data), Compose()).wait();
    EXPECT_EQ(data, composed(ranks(), count)) << count;
  }
}

TEST(AsyncCollectives, every_member_gets_the_same_bits_each_time) {
  for (const std::size_t count : {std::size_t{10}, std::size_t{50'000}}) {
    std::vector<std::vector<double>> results;
    for (int time = 0; time < 2; ++time) {
      std::vector<double> data(count);
      for (std::size_t i = 0; i < count; ++i)
        data[i] = 1.0 / (1.0 + static_cast<double>(pattern(i, static_cast<std::size_t>(me()))));
      allreduce_async(world(), std::span(data)).wait();
      results.push_back(data);
    }
    EXPECT_EQ(results[0], results[1]);
    auto of_first = results[0];
    broadcast(world(), std::span(of_first), 0);
    EXPECT_EQ(results[0], of_first);
  }
}

TEST(AsyncCollectives, many_may_be_under_way_in_any_order_of_waiting) {
  constexpr std::size_t each = 12;
  std::vector<std::vector<std::int64_t>> data;
  std::vector<Handle> handles;
  for (std::size_t i = 0; i < each; ++i) data.push_back(values_of(me(), 1 + i * i * 50));
  for (std::size_t i = 0; i < each; ++i) {
    handles.push_back(allreduce_async(world(), std::span(data[i])));
    if (i % 3 == 0) handles.push_back(barrier_async(world()));
  }
  EXPECT_EQ(allreduce(world(), 1), ranks());  // beside them
  while (!handles.empty()) {
    const std::size_t at = (handles.size() * 7 + static_cast<std::size_t>(me())) % handles.size();
    handles[at].wait();
    handles.erase(handles.begin() + static_cast<std::ptrdiff_t>(at));
  }
  for (const auto& one : data) EXPECT_EQ(one, sums(ranks(), one.size()));
}

TEST(AsyncCollectives, handles_are_tested_and_continued) {
  auto data = values_of(me(), 3000);
  Handle handle = allreduce_async(world(), std::span(data));
  EXPECT_TRUE(eventually([&] { return handle.test(); }));
  EXPECT_EQ(data, sums(ranks(), data.size()));
  auto more = values_of(me(), 30'000);
  auto next = allreduce_async(world(), std::span(more)).then([&] { return more[5]; });
  EXPECT_EQ(next.get(), sums(ranks(), 6)[5]);
  auto all =
      armature::when_all(barrier_async(world()), broadcast_async(world(), std::span(data), 0));
  all.get();
}

TEST(AsyncCollectives, a_handle_that_is_dropped_completes) {
  auto data = values_of(me(), 20'000);
  { const Handle dropped = allreduce_async(world(), std::span(data)); }
  EXPECT_EQ(data, sums(ranks(), data.size()));
}

TEST(AsyncCollectives, teams_do_not_disturb_each_other) {
  const armature::Team half = world().split(me() % 2, ranks() - me());
  auto mine = values_of(me(), 2000), all = values_of(me(), 2000);
  Handle first = allreduce_async(world(), std::span(all));
  Handle second = allreduce_async(half, std::span(mine));
  first.wait();
  second.wait();
  EXPECT_EQ(all, sums(ranks(), all.size()));
  std::vector<std::int64_t> expected(mine.size(), 0);
  for (int rank = me() % 2; rank < ranks(); rank += 2)
    for (std::size_t i = 0; i < mine.size(); ++i) expected[i] += value(rank, i);
  EXPECT_EQ(mine, expected);
}

TEST(AsyncCollectives, roots_there_are_not_and_empty_teams_are_errors) {
  using armature::Errc;
  std::vector<int> data(3);
  for (const int root : {-1, ranks(), 1 << 30})
    expect_error(Errc::bad_rank, {"broadcast_async"},
                 [&] { broadcast_async(world(), std::span(data), root).wait(); });
  expect_error(Errc::misuse, {"barrier_async"}, [&] { barrier_async(armature::Team()).wait(); });
  auto ones = std::vector<int>(1, 1);
  allreduce_async(world(), std::span(ones)).wait();
  EXPECT_EQ(ones[0], ranks());
}

TEST(AsyncCollectives, a_disagreement_about_bytes_is_noticed_by_those_that_need_them) {
  if (ranks() < 2) GTEST_SKIP() << "needs 2 ranks";
  std::vector<int> data(me() == 0 ? 4 : 8);
  expect_error(armature::Errc::bad_argument, {"allreduce_async", "disagree"},
               [&] { allreduce_async(world(), std::span(data)).wait(); });
  world().barrier();
  std::vector<int> ones(1, 1);
  allreduce_async(world(), std::span(ones)).wait();
  EXPECT_EQ(ones[0], ranks());
}

TEST(AsyncCollectives, they_advance_while_ranks_of_several_nodes_compute) {
  if (armature::same_node(0, ranks() - 1)) GTEST_SKIP() << "needs several nodes";
  if (armature::rank_kind() == armature::RankKind::fiber)
    GTEST_SKIP() << "virtual ranks compute in turns";
  for (const std::size_t count : {std::size_t{10}, std::size_t{131'072}}) {
    std::vector<std::int64_t> data(count, me() + 1);
    const std::int64_t expected = std::int64_t{ranks()} * (ranks() + 1) / 2;
    Handle handle = allreduce_async(world(), std::span(data));
    // No call of the library until the result is there.
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(20);
    const auto is_there = [&] {
      return watch([&] {
        return std::ranges::all_of(data, [&](const std::int64_t& one) {
          return *const_cast<const volatile std::int64_t*>(&one) == expected;
        });
      });
    };
    while (!is_there() && std::chrono::steady_clock::now() < deadline) std::this_thread::yield();
    EXPECT_TRUE(is_there()) << count;
    handle.wait();
    world().barrier();
  }
}

TEST(AsyncCollectives, others_learn_that_a_member_has_no_memory) {
  std::int64_t few[4] = {};
  // No machine has that much; nothing of it is touched.
  const std::size_t count = me() == 0 ? std::size_t{1} << 50 : std::size(few);
  expect_error(armature::Errc::out_of_memory, {"allreduce_async"},
               [&] { allreduce_async(world(), std::span(few, count)).wait(); });
  world().barrier();
  std::vector<int> ones(1, 1);
  allreduce_async(world(), std::span(ones)).wait();
  EXPECT_EQ(ones[0], ranks());
}
