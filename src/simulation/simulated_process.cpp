#include "simulation/simulated_process.hpp"

#include <cerrno>
#include <utility>

#include "base/interleaving.hpp"
#include "base/runtime.hpp"
#include "fibers/rank_malloc.hpp"
#include "net/network.hpp"
#include "wait/notifier.hpp"

namespace armature::simulation {
namespace {

struct Turn {
  SimulatedProcess* acting = nullptr;  // nullptr: none, but the simulator
};
SimulatedProcess*& acting() { return base::state<Turn>().acting; }

}  // namespace

SimulatedProcess::SimulatedProcess(Others others, const space::Mapping& mapping, int process,
                                   int segment_file, fibers::QuiesceBody& body)
    : RankScheduler(mapping, process, segment_file, body), others_(std::move(others)) {
  base::simulated.others_act = let_others_act;
}

void SimulatedProcess::run() {
  acting() = this;
  take_process();
  RankScheduler::run();
  acting() = nullptr;
}

/// Runs on whatever stack the process is just now. What the thread knows of the process it knows
/// again afterwards. The simulator restores which rank is calling.
void SimulatedProcess::step(bool made_progress) {
  space::RankHeap*& heap_of_thread = fibers::heap_of_malloc();
  space::RankHeap* const heap = std::exchange(heap_of_thread, nullptr);
  const int error_number = errno;
  fibers::RankFiber& running = ranks().stacks.running();
  ranks().stacks.keep_own(running);
  acting() = nullptr;
  others_.act(made_progress);
  acting() = this;
  take_process();
  heap_of_thread = heap;
  errno = error_number;
  ranks().stacks.restore_own(running);
}

void SimulatedProcess::let_others_act() {
  if (acting() != nullptr && acting()->others_.random().chance(0.5)) acting()->step(false);
}

namespace {

/// Does as the service thread of a real process while ranks only yield: it knows of no rank.
void serve() {
  net::Network* const net = net::network();
  if (net == nullptr) return;
  wait::RankContext* const me = wait::current_rank();
  wait::set_this_rank(nullptr);
  (void)net->try_poll();
  wait::set_this_rank(me);
}

}  // namespace

void SimulatedProcess::yield(bool made_progress) {
  step(made_progress);
  serve();
  RankScheduler::yield(made_progress);
}

wait::Turn SimulatedProcess::wait(bool made_progress, const wait::WaitFor& wait) {
  step(made_progress);
  return RankScheduler::wait(made_progress, wait);
}

/// The steps of wait::sleep, with a turn of others for the sleep. What comes from other nodes
/// wakes whoever sleeps.
void SimulatedProcess::park(Until until, std::uint32_t times, long /*timeout_ns*/) {
  net::Network* const net = net::network();
  step(false);
  ranks().host.slot.asleep.store(1, std::memory_order_seq_cst);
  step(false);
  if (ranks().host.slot.awake.load(std::memory_order_seq_cst) == 0) {
    do step(false);
    while (until == Until::woken && wait::times_woken(ranks().host.slot) == times &&
           (net == nullptr || !net->try_poll()));
  }
  ranks().host.slot.asleep.store(0, std::memory_order_relaxed);
}

}  // namespace armature::simulation
