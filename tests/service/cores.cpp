// One thread does what other nodes ask of a process. It runs on other cores than that of its rank,
// which computes there, but on that one while the rank sleeps.
#include <dirent.h>
#include <sched.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <thread>

#include "armature/armature.hpp"

namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

/// Whether some thread of that process may not run on any of these cores.
bool one_is_elsewhere(pid_t process, const cpu_set_t& cores) {
  bool found = false;
  DIR* const tasks = opendir(("/proc/" + std::to_string(process) + "/task").c_str());
  for (const dirent* entry = nullptr; tasks != nullptr && (entry = readdir(tasks)) != nullptr;) {
    cpu_set_t allowed, both;
    const int task = std::atoi(entry->d_name);
    if (task == 0 || sched_getaffinity(task, sizeof allowed, &allowed) != 0) continue;
    CPU_AND(&both, &allowed, &cores);
    found = found || CPU_COUNT(&both) == 0;
  }
  if (tasks != nullptr) closedir(tasks);
  return found;
}

template <class Condition>
bool comes_to_hold(Condition condition) {
  const auto end = steady_clock::now() + std::chrono::seconds(5);
  bool holds = condition();  // which it may do for a moment only
  for (; !holds && steady_clock::now() < end; holds = condition())
    std::this_thread::sleep_for(milliseconds(1));
  return holds;
}

/// True if it comes to hold, and does for a while.
template <class Condition>
bool comes_to_stay(Condition condition) {
  bool holds = comes_to_hold(condition);
  for (int looks = 0; holds && looks < 100; ++looks) {
    std::this_thread::sleep_for(milliseconds(1));
    holds = condition();
  }
  return holds;
}

}  // namespace

int main(int argc, char** argv) {
  return armature::run(argc, argv, [](armature::World& world) {
    cpu_set_t own, launchers;
    (void)sched_getaffinity(0, sizeof own, &own);
    (void)sched_getaffinity(getppid(), sizeof launchers, &launchers);
    const bool has_choice = CPU_COUNT(&own) < CPU_COUNT(&launchers);
    if (allreduce(world, has_choice ? 1 : 0) < world.size()) {
      if (world.rank() == 0) std::puts("bound to no core of its own");
      return 0;
    }
    world.barrier();
    const bool right_before = comes_to_stay([&] { return one_is_elsewhere(getpid(), own); });
    const pid_t process = broadcast(world, getpid(), 0);
    const cpu_set_t cores = broadcast(world, own, 0);
    bool right_asleep = true;
    if (world.rank() == 0) {
      (void)armature::wait_notify(1);  // sleeps until rank 1, on the same machine, has looked
    } else {
      right_asleep = comes_to_hold([&] { return !one_is_elsewhere(process, cores); });
      armature::notify(0);
    }
    const bool right_after = comes_to_stay([&] { return one_is_elsewhere(getpid(), own); });
    std::printf("rank %d: %s, %s\n", static_cast<int>(world.rank()),
                right_before && right_after ? "elsewhere while it computes" : "beside it",
                right_asleep ? "beside it while it sleeps" : "elsewhere");
    return right_before && right_asleep && right_after ? 0 : 1;
  });
}
