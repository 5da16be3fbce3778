#include "virtual/simulated_process.hpp"

#include <cerrno>
#include <utility>

#include "base/interleaving.hpp"
#include "virtual/rank_malloc.hpp"

namespace armature::simulation {
namespace {

// What of the thread is now; nullptr: none, the simulator's own.
SimulatedProcess* acting = nullptr;

}  // namespace

SimulatedProcess::SimulatedProcess(Simulator& simulator, const space::Mapping& mapping, int process,
                                   int band_file)
    : RankScheduler(mapping, process, band_file), simulator_(simulator) {
  base::others_act = let_others_act;
}

void SimulatedProcess::live() {
  acting = this;
  take_process();
  run();
  acting = nullptr;
}

/// On whatever stack the process is just now. What the thread knows of the process it knows again
/// afterwards; which rank is calling the simulator restores.
void SimulatedProcess::step(bool got_on) {
  space::RankHeap*& heap_of_thread = fibers::heap_of_malloc();
  space::RankHeap* const heap = std::exchange(heap_of_thread, nullptr);
  const int error_number = errno;
  acting = nullptr;
  simulator_.yield(got_on);
  acting = this;
  take_process();
  heap_of_thread = heap;
  errno = error_number;
}

void SimulatedProcess::let_others_act() {
  if (acting != nullptr && acting->simulator_.random().chance(0.5)) acting->step(false);
}

void SimulatedProcess::yield(bool got_on) {
  step(got_on);
  RankScheduler::yield(got_on);
}

bool SimulatedProcess::wait(bool got_on, bool rings) {
  step(got_on);
  return RankScheduler::wait(got_on, rings);
}

/// The steps of progress::sleep, with a turn of others for the sleep.
void SimulatedProcess::doze(Until until, long /*timeout_ns*/) {
  const std::uint32_t seen = home().rung.load(std::memory_order_acquire);
  step(false);
  home().asleep.store(1, std::memory_order_seq_cst);
  step(false);
  if (home().awake.load(std::memory_order_seq_cst) == 0) {
    do step(false);
    while (until == Until::woken && home().rung.load(std::memory_order_acquire) == seen);
  }
  home().asleep.store(0, std::memory_order_relaxed);
}

}  // namespace armature::simulation
