#include "command/run/levels.hpp"

#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "base/fail.hpp"
#include "command/run/host_file.hpp"
#include "space/write_levels.hpp"
#include "topology/switches.hpp"

namespace armature::command {
namespace {

using Places = std::vector<space::Place>;

void set(space::Place& place, const space::Place& in_node) {
  place.socket = in_node.socket;
  place.numa = in_node.numa;
  place.cache = in_node.cache;
  place.core = in_node.core;
}

/// Places ranks by what they are bound to. The processes of virtual ranks are bound as their ranks
/// are.
void set_bound(const space::Control& job, Machine& machine, const Binding& of_ranks,
               Places& places) {
  for (std::size_t rank = 0; rank < of_ranks.size(); ++rank) {
    const bool is_virtual = job.header().ranks_are_virtual != 0;
    const auto number =
        is_virtual ? static_cast<std::size_t>(job.slot(static_cast<int>(rank)).process.load())
                   : rank;
    set(places[number], machine.place_of(of_ranks[rank]));
  }
}

/// As if they were bound to the cores of a machine.
void set_pretended(Machine& machine, Places& places) {
  std::map<std::int32_t, std::vector<std::size_t>> of_nodes;
  for (std::size_t i = 0; i < places.size(); ++i) of_nodes[places[i].node].push_back(i);
  for (const auto& [node, members] : of_nodes) {
    const Binding binding =
        choose_binding(machine.cores(), static_cast<std::uint32_t>(members.size()), Bind::core);
    for (std::size_t i = 0; i < binding.size(); ++i)
      set(places[members[i]], machine.place_of(binding[i]));
  }
}

void set_switches(const Network& network, Places& places) {
  std::map<std::string, int> switch_of = topology::read_switches(network.file);
  for (space::Place& place : places) {
    const std::string& name = network.nodes[static_cast<std::size_t>(place.node)];
    const auto [found, is_new] = switch_of.try_emplace(name, -1 - place.node);
    if (is_new && network.must_tell_all)
      base::fail(Errc::start, fmt::format("--topology: {} does not say at which switch {} is: "
                                          "SwitchName=NAME Nodes={}",
                                          network.file, name, name));
    place.network_switch = found->second;
  }
}

}  // namespace

Network network_of(const LaunchOptions& options) {
  Network network{.file = options.topology, .nodes = {}, .must_tell_all = options.started == 0};
  for (std::uint32_t node = 0; node < std::max<std::uint32_t>(options.nodes, 1); ++node) {
    const std::string name = options.host_file ? options.host_file->nodes()[node].name : "";
    network.nodes.push_back(name.empty() ? fmt::format("node{}", node) : name);
  }
  return network;
}

void tell_levels(const std::vector<space::JobMemory>& memory, Machine& machine,
                 const Binding& of_ranks, const Network& network) {
  const space::Control job = space::map_control(memory.front().control.get());
  Places places = space::places_by_nodes(job);
  if (!machine.is_this_one())
    set_pretended(machine, places);
  else
    set_bound(job, machine, of_ranks, places);
  if (!network.file.empty()) set_switches(network, places);
  for (const space::JobMemory& node : memory)
    space::write_levels(space::map_control(node.control.get()), places);
}

}  // namespace armature::command
