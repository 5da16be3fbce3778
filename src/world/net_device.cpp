#include "world/net_device.hpp"

#include <sys/stat.h>

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "base/fail.hpp"
#include "failure/losses.hpp"
#include "topology/interfaces.hpp"

namespace armature {
namespace {

using topology::Interface;
using topology::NodeInterfaces;

constexpr const char* interfaces_key = "net.interfaces";

/// The interfaces of all nodes, and the device that this one uses.
struct Comparison {
  const bootstrap::ProcessTable& process_table;
  std::vector<NodeInterfaces> nodes;
  std::string device;

  [[nodiscard]] std::size_t here() const {
    return static_cast<std::size_t>(process_table.self().node);
  }

  /// Nothing where the engine chooses.
  [[nodiscard]] const Interface* mine() const {
    for (const Interface& one : nodes[here()].interfaces)
      if (one.name == device) return &one;
    return nullptr;
  }

  /// "rank 3 (pid 4711 on b), address 10.0.0.2 seen from 10.0.0.1"
  [[nodiscard]] std::string name(int process) const {
    const bootstrap::Member& member = process_table.members[static_cast<std::size_t>(process)];
    const std::string who = failure::name_of(process_table, process);
    const Interface* const from = mine();
    if (from == nullptr) return who;
    const Interface* const to =
        topology::in_subnet(nodes[static_cast<std::size_t>(member.node)], *from);
    const std::string where = to != nullptr
                                  ? "at " + topology::address_text(to->address)
                                  : "which has no address in " + topology::subnet_text(*from);
    return fmt::format("{}, {}, from {} here,", who, where, topology::address_text(from->address));
  }
};

std::vector<NodeInterfaces> read_all(bootstrap::Exchange& exchange,
                                     const bootstrap::ProcessTable& process_table) {
  std::vector<NodeInterfaces> nodes;
  for (int node = 0; node < process_table.nodes; ++node) {
    const auto told = exchange.get(process_table.processes_of(node).front(), interfaces_key);
    nodes.push_back(
        topology::read_interfaces({reinterpret_cast<const char*>(told.data()), told.size()}));
  }
  return nodes;
}

/// Names of other transports are not those of interfaces. "tcp;ofi_rxm" is one of libfabric's.
bool speaks_tcp(const net::NetworkOptions& options) {
  const std::string& kinds = options.engine.interfaces;
  return kinds.empty() || kinds == "tcp" || kinds.starts_with("tcp;");
}

std::string wanted_device(std::string_view wanted, const NodeInterfaces& own) {
  std::string device = topology::find_interface(wanted, own.interfaces);
  if (device.empty())
    base::fail(Errc::start,
               fmt::format("ARMATURE_NET_DEVICE={}: this node has no address in that subnet; "
                           "`armature doctor --network` lists its interfaces",
                           wanted));
  return device;
}

/// The number of a process's network namespace; 0 where it cannot be seen.
ino_t network_of(const std::string& process) {
  struct stat status {};
  return stat(fmt::format("/proc/{}/ns/net", process).c_str(), &status) == 0 ? status.st_ino : 0;
}

}  // namespace

std::string device_beside(pid_t launcher) {
  const ino_t its_own = network_of(std::to_string(launcher));
  if (its_own == 0 || its_own == network_of("self")) return "lo";
  std::string devices;
  for (const Interface& one : topology::interfaces())
    if (one.up && !one.loopback) devices += (devices.empty() ? "" : ",") + one.name;
  return devices;
}

void install_net_device(net::NetworkOptions& options, const WiredJob& wired,
                        bootstrap::Exchange& exchange) {
  const auto shared = std::make_shared<Comparison>(Comparison{wired.process_table, {}, ""});
  if (shared->process_table.self().index == 0) {
    const std::string text = topology::write(topology::own_interfaces());
    exchange.put(interfaces_key, std::as_bytes(std::span(text)));
  }
  options.name_peer = [shared](int process) { return shared->name(process); };
  options.find_device = [shared, wanted = options.engine.device,
                         tcp = speaks_tcp(options)](bootstrap::Exchange& told) {
    shared->nodes = read_all(told, shared->process_table);
    if (!wanted.empty())
      shared->device = tcp ? wanted_device(wanted, shared->nodes[shared->here()]) : wanted;
    else if (tcp)
      shared->device = topology::choose_interface(shared->nodes, shared->here()).device;
    return shared->device;
  };
}

}  // namespace armature
