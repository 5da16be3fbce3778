#include "world/simulated_network.hpp"

#include <string>

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

}  // namespace

void simulate_network(progress::NetworkOptions& options, const space::Mapping& mapping,
                      bootstrap::Exchange& wire) {
  Turns::join(wire, mapping.header().seed, {waits_here, detail::die});
  options.open = transport::sim::open_turn_engine;
  options.serves = false;  // nothing comes while a process has its turn
  options.heartbeat_ns = 0;
}

simulation::Others others_in_turn() {
  return {[](bool got_on) { Turns::of_process()->pass(got_on); },
          []() -> base::Random& { return Turns::of_process()->random(); }};
}

}  // namespace armature
