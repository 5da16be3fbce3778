#include "world/simulated_turns.hpp"

#include <ctime>
#include <string>

#include "progress/processes.hpp"
#include "transport/sim/turn_engine.hpp"
#include "transport/sim/turns.hpp"
#include "virtual/simulator.hpp"
#include "world/last_words.hpp"

namespace armature {
namespace {

using transport::sim::Turns;

std::string waits_here() {
  return simulation::say_waits(*space::Mapping::of_process(), Turns::of_process()->process());
}

/// After deaths they may wait for the launcher to end the job, which has a clock of its own.
void end_stalled(int status, const char* text) {
  constexpr timespec patience{5, 0};
  if (space::Mapping::of_process()->header().simulated_deaths != 0) nanosleep(&patience, nullptr);
  detail::die(status, text);
}

/// In a job that runs the launcher does so; without a copy it ends the job.
bool tell_of_death(int process) {
  const space::Mapping& mapping = *space::Mapping::of_process();
  space::ControlHeader& job = mapping.header();
  space::ProcessSlot& slot = mapping.process_slot(process);
  if (slot.node != job.node) return true;
  if (job.nodes == 1 && job.halt.copy.load(std::memory_order_acquire) == 0) return false;
  slot.step.store(progress::runs_no_more, std::memory_order_release);
  progress::lose_process({reinterpret_cast<std::byte*>(&job)}, process);
  return true;
}

void join_turns(const space::Mapping& mapping, bootstrap::Exchange& wire) {
  const space::ControlHeader& job = mapping.header();
  Turns::join(wire, {.seed = job.seed,
                     .deaths = static_cast<int>(job.simulated_deaths),
                     .waits = waits_here,
                     .give_up = end_stalled,
                     .on_death = tell_of_death});
}

}  // namespace

void simulate_network(progress::NetworkOptions& options, const space::Mapping& mapping,
                      bootstrap::Exchange& wire) {
  join_turns(mapping, wire);
  options.open = transport::sim::open_turn_engine;
  options.serves = false;  // nothing comes while a process has its turn
  options.heartbeat_ns = 0;
}

void take_turns(const space::Mapping& mapping, bootstrap::Exchange& wire) {
  join_turns(mapping, wire);
  Turns::of_process()->begin();
}

void leave_turns() { Turns::of_process()->end(); }

simulation::Others others_in_turn() {
  return {[](bool got_on) { Turns::of_process()->pass(got_on); },
          []() -> base::Random& { return Turns::of_process()->random(); }};
}

}  // namespace armature
