#include "job.h"

#include <signal.h>
#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <numeric>
#include <set>
#include <string>
#include <vector>

#include <armature/armature.hpp>
#include <armature/checkpoint.hpp>
#include <armature/collectives.hpp>
#include <armature/locality.hpp>
#include <armature/virtual.hpp>

namespace {

void (*spoil)() = nullptr;

void spoil_all() {
  if (spoil != nullptr) spoil();
  armature::world().barrier();
}

/// Behind each of so many checkpoints in memory the process of some rank dies, and all go back.
void go_back(int me, int times) {
  for (int death = 0; death < times; ++death) {
    if (armature::checkpoint_in_memory()) continue;
    spoil_all();
    if (me == death) kill(getpid(), SIGKILL);
    armature::world().barrier();
    job_need(0, "nobody has died");
  }
}

bool is_one_node(const armature::World& world) {
  for (int rank = 1; rank < world.size(); ++rank)
    if (!same_node(armature::Rank(0), armature::Rank(rank))) return false;
  return true;
}

/// All of them; or those that have ranks, where some may have died.
std::vector<int> living_processes(armature::World& world) {
  std::vector<int> numbers(static_cast<std::size_t>(armature::hosting_processes()));
  std::iota(numbers.begin(), numbers.end(), 0);
  if (std::getenv("GLOBALS_DEATHS") == nullptr) return numbers;
  const int own = armature::process_of(world.rank()).number();
  const std::vector<int> of_ranks = allgather(world, own);
  const std::set<int> living(of_ranks.begin(), of_ranks.end());
  return {living.begin(), living.end()};
}

/// The areas of this process's memory that begin behind `first` and not behind `last`.
int areas_between(std::uintptr_t first, std::uintptr_t last) {
  std::ifstream maps("/proc/self/maps");
  int count = 0;
  for (std::string line; std::getline(maps, line);)
    if (const auto begin = std::stoull(line, nullptr, 16); begin > first && begin <= last) ++count;
  return count;
}

}  // namespace

void job_count_areas(int me, const void* variable) {
  constexpr int most = 6;
  armature::World& world = armature::world();
  const auto places = allgather(world, reinterpret_cast<std::uintptr_t>(variable));
  const auto processes = allgather(world, static_cast<long>(getpid()));
  const auto next = static_cast<std::size_t>(me) + 1;
  // From one rank's variable to the next one's there is one of everything that a rank has.
  // The kernel lists all areas for each that asks.
  const bool looks = me % 64 < 8;
  if (looks && next < places.size() && processes[next - 1] == processes[next] &&
      places[next - 1] != places[next]) {
    const int areas = areas_between(places[next - 1], places[next]);
    if (areas > most || areas < 2)
      armature::abort(1, "rank " + std::to_string(me) + " has " + std::to_string(areas) +
                             " memory areas, of which it may have " + std::to_string(most));
  }
  world.barrier();
}

void job_move(int round) {
  armature::World& world = armature::world();
  const std::vector<int> processes = living_processes(world);
  const int to = processes[static_cast<std::size_t>(static_cast<int>(world.rank()) + round) %
                           processes.size()];
  if (round % 2 == 0)
    armature::migrate_together(armature::ProcessId(to));
  else if (is_one_node(world))
    armature::migrate(armature::ProcessId(to));
  world.barrier();
}

void job_spoil_by(void (*function)()) { spoil = function; }

void job_stop(int me) {
  if (const char* const deaths = std::getenv("GLOBALS_DEATHS"))
    return go_back(me, std::atoi(deaths));
  if (std::getenv("ARMATURE_CHECKPOINT") == nullptr || armature::checkpoint()) return;
  spoil_all();
  if (me == 0) {
    std::puts("stopped");
    std::fflush(stdout);
    _exit(9);
  }
  armature::world().barrier();
}

void job_need(int holds, const char* what) {
  if (holds == 0)
    armature::abort(
        1, "rank " + std::to_string(static_cast<int>(armature::world().rank())) + ": " + what);
}

void job_well(int me) {
  armature::world().barrier();
  if (me == 0) std::puts("all well");
}
