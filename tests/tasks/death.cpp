// A member dies in a task, in a job that goes on: the others hear of it, some while they wait for a
// task, some while all of theirs are done, and none waits for the others' end of the graph for
// ever.
#include <unistd.h>

#include <csignal>
#include <cstdio>

#include <armature/armature.hpp>
#include <armature/task.hpp>

using armature::reads;
using armature::writes;

int main(int argc, char** argv) {
  return armature::run(argc, argv, [](armature::World& world) {
    const int last = world.size() - 1;
    armature::task_graph graph(world);
    armature::task_data<int> items(graph, 2, [last](std::size_t i) { return i == 0 ? last : 0; });
    graph.spawn_stealable([] {});
    graph.spawn(
        [](int&) {
          usleep(200'000);
          raise(SIGKILL);
        },
        writes(items(0)));
    graph.spawn([](const int& from, int& to) { to = from; }, reads(items(0)), writes(items(1)));
    for (const char* const when : {"", " again"}) {
      try {
        graph.wait();
        return 1;
      } catch (const armature::Error& error) {
        if (error.code() != armature::Errc::rank_lost) throw;
        if (world.rank() == 0) std::printf("member 0 has heard of it%s\n", when);
      }
    }
    std::fflush(stdout);
    return 0;
  });
}
