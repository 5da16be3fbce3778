// armi-rmi-2003, figure 3: a parallel task that sorts, on all ranks and on a part of them.
#include <algorithm>
#include <cstddef>
#include <random>
#include <utility>
#include <vector>

#include "armature/algorithm.hpp"
#include "armature/container.hpp"
#include "armature/task.hpp"
#include "conformance.hpp"

using conformance::me;
using conformance::ranks;
using conformance::world;

namespace {

struct p_sort : armature::parallel_task {
  int *input, size;
  std::vector<int> sorted;
  p_sort(int* i, int s) : input(i), size(s) {}

  void execute() override {
    const auto p = static_cast<std::size_t>(get_num_threads());
    const auto id = static_cast<std::size_t>(get_thread_id());
    armature::distributed_vector<int> splitters(team(), p);
    armature::distributed_vector<std::vector<int>> buckets(team(), p);
    splitters[id] = size == 0 ? 0 : input[size / 2];  // ...sample input...
    armature::sort(splitters);
    const std::vector<int> bounds = splitters.read(0, p);

    for (int i = 0; i < size; i++) {
      const auto dest =
          std::upper_bound(bounds.begin() + 1, bounds.end(), input[i]) - bounds.begin() - 1;
      buckets.async_visit(
          static_cast<std::size_t>(dest), [](std::vector<int>& b, int x) { b.push_back(x); },
          input[i]);
    }
    buckets.fence();

    sorted = buckets.local()[0];
    std::sort(sorted.begin(), sorted.end());
  }
};

void expect_sorted(const armature::Team& team) {
  std::mt19937 random(static_cast<unsigned>(me()));
  std::vector<int> input(300);
  for (int& x : input) x = static_cast<int>(random() % 1000);
  const auto given = armature::distributed_vector<int>::from_local(team, input);
  std::vector<int> expected = given.read(0, given.size());
  std::sort(expected.begin(), expected.end());
  p_sort task(input.data(), static_cast<int>(input.size()));
  armature::execute(team, task);
  const auto sorted = armature::distributed_vector<int>::from_local(team, task.sorted);
  EXPECT_EQ(sorted.read(0, sorted.size()), expected);
  sorted.fence();
}

}  // namespace

TEST(ParallelTask, sorts_as_figure_3_on_all_ranks) { expect_sorted(world()); }

TEST(ParallelTask, runs_on_the_team_that_it_is_given) {
  expect_sorted(world().split(me() % 2, me()));
}
