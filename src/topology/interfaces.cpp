// Finds which of several network interfaces reaches the other nodes. A node often has more than
// one: that of the cluster, one for administration, bridges of containers (docker0), ends of
// virtual cables. Asking the kernel which way leads to an address would tell one node's view, and
// take a bridge for a way that has the same address on every node. So nodes compare what they have.
#include "topology/interfaces.hpp"

#include <arpa/inet.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <netinet/in.h>
#include <sys/stat.h>

#include <algorithm>
#include <bit>
#include <charconv>
#include <cstring>
#include <fstream>
#include <memory>
#include <optional>
#include <set>
#include <sstream>

#include <fmt/format.h>

namespace armature::topology {
namespace {

constexpr int address_bits = 32;

std::uint32_t ipv4(const sockaddr* address) {
  sockaddr_in in{};
  std::memcpy(&in, address, sizeof in);
  return ntohl(in.sin_addr.s_addr);
}

bool is_ipv4(const sockaddr* address) {
  return address != nullptr && address->sa_family == AF_INET;
}

/// -1 or nothing where there is no such thing as a speed, or the link is down.
long speed_of(const std::string& name) {
  long megabits = 0;
  std::ifstream("/sys/class/net/" + name + "/speed") >> megabits;
  return std::max(megabits, 0L);
}

std::optional<std::uint32_t> parse_address(const std::string& text) {
  in_addr address{};
  if (inet_pton(AF_INET, text.c_str(), &address) != 1) return std::nullopt;
  return ntohl(address.s_addr);
}

/// "10.0.0.1/24"
bool parse_with_prefix(std::string_view text, Interface& to) {
  const auto slash = text.find('/');
  if (slash == std::string_view::npos) return false;
  const auto address = parse_address(std::string(text.substr(0, slash)));
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data() + slash + 1, end, to.prefix);
  if (!address || error != std::errc{} || stop != end || to.prefix < 0 || to.prefix > address_bits)
    return false;
  to.address = *address;
  return true;
}

bool is_usable(const Interface& interface) {
  return interface.up && !interface.loopback && interface.prefix > 0;
}

/// Finds one interface for each node, in the subnet of `like`; nothing where a node has none, or
/// two have the same address.
std::vector<const Interface*> one_each(std::span<const NodeInterfaces> nodes,
                                       const Interface& like) {
  std::vector<const Interface*> found;
  std::set<std::uint32_t> addresses;
  for (const NodeInterfaces& node : nodes) {
    const Interface* const interface = in_subnet(node, like);
    if (interface == nullptr || !addresses.insert(interface->address).second) return {};
    found.push_back(interface);
  }
  return found;
}

long slowest(const std::vector<const Interface*>& interfaces) {
  long megabits = interfaces.front()->megabits;
  for (const Interface* interface : interfaces) megabits = std::min(megabits, interface->megabits);
  return megabits;
}

/// Takes all interfaces but those whose address another node has too: where no subnet is
/// everybody's, routes may lead from one to another.
std::string any_of_own(std::span<const NodeInterfaces> nodes, std::size_t me) {
  std::string names;
  std::set<std::string> taken;
  for (const Interface& mine : nodes[me].interfaces) {
    bool is_own = is_usable(mine);
    for (std::size_t node = 0; node < nodes.size(); ++node)
      for (const Interface& theirs : nodes[node].interfaces)
        is_own = is_own && (node == me || theirs.address != mine.address);
    if (is_own && taken.insert(mine.name).second) names += (names.empty() ? "" : ",") + mine.name;
  }
  return names;
}

/// "lo" for nodes that are pretended on one machine.
std::optional<InterfaceChoice> choose_loopback(std::span<const NodeInterfaces> nodes,
                                               std::size_t me) {
  for (const NodeInterfaces& node : nodes)
    if (node.machine != nodes[me].machine) return std::nullopt;
  for (const Interface& mine : nodes[me].interfaces)
    if (mine.loopback && mine.up)
      return InterfaceChoice{mine.name, "all nodes are pretended on one machine"};
  return std::nullopt;
}

}  // namespace

std::string address_text(std::uint32_t address) {
  return fmt::format("{}.{}.{}.{}", address >> 24, address >> 16 & 255, address >> 8 & 255,
                     address & 255);
}

std::string subnet_text(const Interface& interface) {
  return fmt::format("{}/{}", address_text(interface.subnet()), interface.prefix);
}

std::vector<Interface> interfaces() {
  std::vector<Interface> found;
  ifaddrs* first = nullptr;
  if (getifaddrs(&first) != 0) return found;
  const std::unique_ptr<ifaddrs, void (*)(ifaddrs*)> all(first, &freeifaddrs);
  for (const ifaddrs* at = first; at != nullptr; at = at->ifa_next) {
    if (!is_ipv4(at->ifa_addr)) continue;
    Interface interface;
    interface.name = at->ifa_name;
    interface.address = ipv4(at->ifa_addr);
    if (at->ifa_netmask != nullptr) interface.prefix = std::popcount(ipv4(at->ifa_netmask));
    interface.up = (at->ifa_flags & IFF_UP) != 0 && (at->ifa_flags & IFF_RUNNING) != 0;
    interface.loopback = (at->ifa_flags & IFF_LOOPBACK) != 0;
    interface.megabits = speed_of(interface.name);
    found.push_back(std::move(interface));
  }
  return found;
}

const Interface* in_subnet(const NodeInterfaces& node, const Interface& like) {
  const auto found =
      std::find_if(node.interfaces.begin(), node.interfaces.end(), [&](const Interface& one) {
        return is_usable(one) && one.prefix == like.prefix && one.subnet() == like.subnet();
      });
  return found != node.interfaces.end() ? &*found : nullptr;
}

NodeInterfaces own_interfaces() {
  std::string boot;
  std::getline(std::ifstream("/proc/sys/kernel/random/boot_id"), boot);
  struct stat status {};
  const bool known = stat("/proc/self/ns/net", &status) == 0;
  return {fmt::format("{}/{:x}", boot, known ? status.st_ino : 0), interfaces()};
}

std::string write(const NodeInterfaces& node) {
  std::string text = node.machine + "\n";
  for (const Interface& one : node.interfaces)
    text += fmt::format("{} {}/{} {:d} {:d} {}\n", one.name, address_text(one.address), one.prefix,
                        one.up, one.loopback, one.megabits);
  return text;
}

NodeInterfaces read_interfaces(std::string_view text) {
  NodeInterfaces node;
  std::istringstream lines{std::string(text)};
  std::getline(lines, node.machine);
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    Interface one;
    std::string address;
    if (words >> one.name >> address >> one.up >> one.loopback >> one.megabits &&
        parse_with_prefix(address, one))
      node.interfaces.push_back(std::move(one));
  }
  return node;
}

InterfaceChoice choose_interface(std::span<const NodeInterfaces> nodes, std::size_t me) {
  if (nodes.size() > 1)
    if (auto loopback = choose_loopback(nodes, me)) return *loopback;
  std::vector<const Interface*> best;
  for (const Interface& candidate : nodes.front().interfaces) {
    if (!is_usable(candidate)) continue;
    const auto found = one_each(nodes, candidate);
    if (!found.empty() && (best.empty() || slowest(found) > slowest(best))) best = found;
  }
  if (best.empty()) return {any_of_own(nodes, me), "no subnet holds an address of every node"};
  return {best[me]->name, "every node has an address of its own in " + subnet_text(*best[me])};
}

std::string find_interface(std::string_view wanted, std::span<const Interface> own) {
  Interface subnet;
  if (!parse_with_prefix(wanted, subnet)) return std::string(wanted);
  for (const Interface& one : own)
    if (one.up && one.prefix >= subnet.prefix &&
        (subnet.prefix == 0 ||
         (one.address ^ subnet.address) >> (address_bits - subnet.prefix) == 0))
      return one.name;
  return {};
}

}  // namespace armature::topology
