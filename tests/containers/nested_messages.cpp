// Each rank sorts in a task of its own, `repeat` times: 1,000 elements of a vector of the task's
// team, and as many that a task of a graph has. messages.py counts what that sends. A repeat of 0
// is the same program without the sorting.
#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <span>

#include "armature/algorithm.hpp"
#include "armature/armature.hpp"
#include "armature/container.hpp"
#include "armature/task.hpp"

namespace {

constexpr std::size_t count = 1000;

int mixed(std::size_t i) { return static_cast<int>(i * 7919 % 1009); }

struct Sorts : armature::parallel_task {
  int repeat;
  bool is_sorted = true;
  explicit Sorts(int times) : repeat(times) {}
  void execute() override {
    for (int i = 0; i < repeat; ++i) {
      armature::distributed_vector<int> v(team(), count);
      armature::generate(v, mixed);
      armature::sort(v);
      is_sorted = is_sorted && armature::is_sorted(v);
    }
  }
};

}  // namespace

int main(int argc, char** argv) {
  const int repeat = argc > 1 ? std::atoi(argv[1]) : 1;
  return armature::run(argc, argv, [repeat](armature::World& world) {
    const armature::Team own = world.split(world.rank(), 0);
    Sorts task(repeat);
    armature::execute(own, task);

    armature::distributed_vector<int> v(world, count * static_cast<std::size_t>(world.size()));
    armature::generate(v, mixed);
    armature::task_graph graph(world);
    armature::task_blocks<int> blocks(graph, v, count);
    for (std::size_t b = 0; b < blocks.size(); ++b)
      graph.spawn(
          [repeat](std::span<int> block) {
            for (int i = 0; i < repeat; ++i) armature::sort(block);
          },
          armature::writes(blocks(b)));
    graph.wait();
    const bool is_sorted = armature::find(v.local(), -1) == std::nullopt &&
                           (repeat == 0 || std::is_sorted(v.local().begin(), v.local().end()));
    if (!task.is_sorted || !is_sorted) std::printf("not sorted\n");
    return task.is_sorted && is_sorted ? 0 : 1;
  });
}
