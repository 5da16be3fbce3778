// Algorithms inside of larger work: on parts of the ranks, on elements that a task has, on elements
// that are vectors themselves.
#include <algorithm>
#include <cstddef>
#include <functional>
#include <numeric>
#include <optional>
#include <random>
#include <span>
#include <string>
#include <vector>

#include "armature/task.hpp"
#include "cases.hpp"

using containers::me;
using containers::ranks;
using containers::world;

namespace {

std::vector<int> numbers(std::size_t count, unsigned seed) {
  std::mt19937 random(seed);
  std::vector<int> made(count);
  for (int& x : made) x = static_cast<int>(random() % 500);
  return made;
}

/// A key, and where it was.
struct Item {
  int key, place;
};

struct NestedSort : armature::parallel_task {
  std::size_t count;
  bool is_sorted = false;
  explicit NestedSort(std::size_t n) : count(n) {}
  void execute() override {
    armature::distributed_vector<int> v(team(), count);
    const auto given = numbers(count, 7);
    armature::generate(v, [&](std::size_t i) { return given[i]; });
    armature::sort(v);
    auto expected = given;
    std::sort(expected.begin(), expected.end());
    is_sorted = v.read(0, count) == expected;
    v.fence();
  }
};

}  // namespace

TEST(Nested, sorts_on_the_team_that_a_task_was_given) {
  for (const std::size_t count :
       {0UL, 1UL, 256UL, 257UL, 256UL * static_cast<std::size_t>(ranks()), 1000UL, 9000UL})
    for (const int teams : {1, 2, ranks()}) {
      NestedSort task(count);
      armature::execute(world().split(me() % teams, me()), task);
      EXPECT_TRUE(task.is_sorted) << count << " elements, " << teams << " teams";
    }
}

TEST(Nested, few_elements_keep_the_order_of_equal_ones_and_their_places) {
  for (const std::size_t count : {1UL, 7UL, 50UL}) {
    // Uneven: the last member has most.
    std::vector<Item> mine;
    std::vector<Item> expected;
    for (int m = 0; m < ranks(); ++m) {
      const auto keys = numbers(count * static_cast<std::size_t>(m + 1), static_cast<unsigned>(m));
      for (const int key : keys) {
        const Item item{key % 10, static_cast<int>(expected.size())};
        expected.push_back(item);
        if (m == me()) mine.push_back(item);
      }
    }
    auto v = armature::distributed_vector<Item>::from_local(world(), mine);
    const std::size_t offset = v.offset();
    armature::stable_sort(v, [](const Item& a, const Item& b) { return a.key < b.key; });
    std::ranges::stable_sort(expected, std::less<>(), &Item::key);
    ASSERT_EQ(v.local().size(), mine.size());
    for (std::size_t i = 0; i < mine.size(); ++i)
      EXPECT_EQ(v.local()[i].place, expected[offset + i].place);
    v.fence();
  }
}

TEST(Nested, few_elements_that_are_objects_are_sorted) {
  armature::distributed_vector<std::string> v(world(), 300);
  std::vector<std::string> expected;
  for (const int x : numbers(300, 3)) expected.push_back("number " + std::to_string(x));
  armature::generate(v, [&](std::size_t i) { return expected[i]; });
  armature::sort(v, std::greater<>());
  std::ranges::sort(expected, std::greater<>());
  containers::expect_elements(v, expected);
  v.fence();
}

TEST(Nested, algorithms_on_the_elements_of_a_task_are_serial) {
  armature::distributed_vector<int> v(world(), 1000);
  const auto given = numbers(1000, 11);
  armature::generate(v, [&](std::size_t i) { return given[i]; });
  {
    armature::task_graph graph(world());
    armature::task_blocks<int> blocks(graph, v, 64);
    for (std::size_t b = 0; b < blocks.size(); ++b)
      graph.spawn([](std::span<int> block) { armature::sort(block); }, armature::writes(blocks(b)));
    graph.wait();
  }
  v.fence();
  // Blocks do not reach from one member to the next.
  std::vector<int> expected;
  for (int m = 0; m < ranks(); ++m) {
    const std::size_t begin = v.blocks().first(m), end = v.blocks().first(m + 1);
    for (std::size_t at = begin; at < end; at += 64) {
      const std::size_t stop = std::min(at + 64, end);
      expected.insert(expected.end(), given.begin() + static_cast<std::ptrdiff_t>(at),
                      given.begin() + static_cast<std::ptrdiff_t>(stop));
      std::sort(expected.begin() + static_cast<std::ptrdiff_t>(at), expected.end());
    }
  }
  containers::expect_elements(v, expected);
  v.fence();
}

TEST(Nested, vectors_that_are_elements_take_the_same_algorithms) {
  armature::distributed_vector<std::vector<int>> rows(world(), 23);
  armature::generate(rows, [](std::size_t i) { return numbers(50, static_cast<unsigned>(i)); });
  armature::for_each(rows, [](std::vector<int>& row) {
    armature::sort(row);
    armature::inclusive_scan(row, row);
  });
  const long total = armature::transform_reduce(
      rows, 0L, std::plus<>(),
      [](const std::vector<int>& row) { return armature::reduce(row, 0L); });
  long expected = 0;
  for (unsigned i = 0; i < 23; ++i) {
    auto row = numbers(50, i);
    std::sort(row.begin(), row.end());
    std::partial_sum(row.begin(), row.end(), row.begin());
    expected = std::accumulate(row.begin(), row.end(), expected);
  }
  EXPECT_EQ(total, expected);
}

TEST(Nested, serial_algorithms_agree_with_those_on_a_vector) {
  const auto given = numbers(777, 5);
  armature::distributed_vector<int> v(world(), given.size());
  armature::generate(v, [&](std::size_t i) { return given[i]; });
  const auto is_odd = [](int x) { return x % 2 != 0; };
  const auto is_huge = [](int x) { return x > 1'000'000; };
  EXPECT_EQ(armature::reduce(v), armature::reduce(given));
  EXPECT_EQ(armature::count(v, given[3]), armature::count(given, given[3]));
  EXPECT_EQ(armature::count_if(v, is_odd), armature::count_if(given, is_odd));
  EXPECT_EQ(armature::any_of(v, is_huge), armature::any_of(given, is_huge));
  EXPECT_EQ(armature::all_of(v, is_odd), armature::all_of(given, is_odd));
  EXPECT_EQ(armature::none_of(v, is_huge), armature::none_of(given, is_huge));
  EXPECT_EQ(armature::find(v, given[700]), armature::find(given, given[700]));
  EXPECT_EQ(armature::find_if(v, is_huge), armature::find_if(given, is_huge));
  EXPECT_EQ(armature::min_element(v), armature::min_element(given));
  EXPECT_EQ(armature::max_element(v), armature::max_element(given));
  auto own = given;
  armature::exclusive_scan(v, v, 5);
  armature::exclusive_scan(own, own, 5);
  containers::expect_elements(v, own);
  v.fence();
  armature::transform(v, [](int x) { return 3 * x; });
  armature::transform(own, [](int x) { return 3 * x; });
  armature::reverse(v);
  armature::reverse(own);
  containers::expect_elements(v, own);
  v.fence();
  armature::fill(own, 4);
  armature::generate(own, [](std::size_t i) { return static_cast<int>(i); });
  std::vector<int> half(own.size() / 2);
  EXPECT_THROW(armature::copy(own, half), armature::Error);
  armature::copy(half, own);
  EXPECT_EQ(armature::count(own, 0), half.size());
}
