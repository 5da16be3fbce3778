// A process tells the network of the rooms above it when it joins: settings, and their services.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "base/fail.hpp"
#include "failure/losses.hpp"
#include "net/network.hpp"
#include "rma/protocol.hpp"
#include "space/segment_pages.hpp"
#include "topology/cores.hpp"
#include "transport/limits.hpp"
#include "transport/services_here.hpp"
#include "wait/oversubscription.hpp"
#include "wait/processes.hpp"
#include "world/net_device.hpp"
#include "world/process.hpp"
#include "world/simulated_turns.hpp"

namespace armature {
namespace {

/// A setting of the network, which the launcher has checked. Throws Error(start).
double number_or(const char* variable, double otherwise) {
  const char* const text = std::getenv(variable);
  if (text == nullptr) return otherwise;
  char* end = nullptr;
  const double value = std::strtod(text, &end);
  if (end == text || *end != '\0' || !(value >= 0) || value > 1e9)
    base::fail(Errc::start, fmt::format("{}='{}' is not a number", variable, text));
  return value;
}

/// Chooses what the engine does by itself. Ranks that roll back wait for what they have begun: that
/// must not take for ever where a target is gone. A virtual rank's memory may be registered by one
/// process, and freed in another.
void use_engine(const space::ControlHeader& job) {
  using Words = transport::Limits::Words;
  const transport::Engine& engine = net::network()->links().engine();
  const bool is_used =
      engine.is_one_sided() && (!wait::recovers_on_nodes(job) || engine.needs_no_target());
  const bool has_words = is_used && transport::Limits::get().words != Words::records;
  if (is_used && job.ranks_are_virtual != 0 && engine.pins_memory()) space::keep_pages();
  rma::choose_protocols({.long_pieces = is_used,
                         .words = has_words && engine.has_words(),
                         .atomics = has_words && engine.has_atomics()});
}

/// The cores that ranks and servers share. Where another launcher has bound this process, its
/// server stays there, too.
int cores_for_server(const space::ControlHeader& job) {
  const auto of_job = static_cast<int>(job.settings.cores);
  return job.launcher.pid != 0 ? of_job : std::min(of_job, topology::usable_cores());
}

}  // namespace

/// The device is the network interface to use; what the user has said goes before.
void Process::join_network(net::Network::Spaces spaces, bootstrap::Exchange& wire,
                           std::string device) const {
  net::NetworkOptions options;
  options.engine.device = std::move(device);
  if (const char* wanted = std::getenv("ARMATURE_NET_DEVICE")) {
    options.engine.device = wanted;
    options.engine.device_alone = true;
  }
  if (const char* kinds = std::getenv("ARMATURE_NET_TRANSPORTS")) options.engine.interfaces = kinds;
  options.engine.segment = static_cast<std::size_t>(number_or("ARMATURE_NET_SEGMENT", 0));
  const space::ControlHeader& job = mapping_->header();
  options.engine.one_sided = wait::recovers_on_nodes(job) ? transport::EngineOptions::OneSided::off
                                                          : transport::Limits::get().one_sided;
  constexpr double to_ns = 1e9;
  options.heartbeat_ns =
      static_cast<std::uint64_t>(number_or("ARMATURE_NET_HEARTBEAT", 10) * to_ns);
  options.connect_ns =
      static_cast<std::uint64_t>(number_or("ARMATURE_NET_CONNECT_TIMEOUT", 30) * to_ns);
  options.connects_on_demand = job.ranks_are_virtual == 0 && job.simulation.on == 0 &&
                               job.settings.on_death != space::OnDeath::go_on;
  options.services = transport::services_here();
  options.server = net::choose_server(wait::threads_of_job(), cores_for_server(job)).way;
  if (wired_) install_net_device(options, *wired_, wire);
  failure::install_losses(options, wired_ ? &wired_->process_table : nullptr, *mapping_,
                          wired_ ? &wire : nullptr);
  if (mapping_->header().simulation.on != 0) simulate_network(options, *mapping_, wire);
  net::Network::join(*mapping_, std::move(spaces), wire, options);
  use_engine(job);
}

}  // namespace armature
