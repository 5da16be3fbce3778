#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace armature::topology {

/// A network interface with one of its IPv4 addresses. One that has several counts as several.
struct Interface {
  std::string name;
  std::uint32_t address = 0;  // 10.0.0.1 is 0x0a000001
  int prefix = 0;             // bits of it that name the subnet
  bool up = false;
  bool loopback = false;
  long megabits = 0;  // a second, as the kernel says; 0 where it does not

  [[nodiscard]] std::uint32_t subnet() const {
    return prefix == 0 ? 0 : address & ~std::uint32_t{0} << (32 - prefix);
  }
};

/// "10.213.77.1"
std::string address_text(std::uint32_t address);
/// "10.213.77.0/24"
std::string subnet_text(const Interface& interface);

/// The interfaces that this process can speak over, in the kernel's order.
std::vector<Interface> interfaces();

/// A node tells the others this of itself: which machine it is on, and its interfaces.
struct NodeInterfaces {
  std::string machine;  // the same on nodes that are pretended on one
  std::vector<Interface> interfaces;
};
/// Write them as text that travels, and read it back; what makes no sense is left out.
std::string write(const NodeInterfaces& node);
NodeInterfaces read_interfaces(std::string_view text);
/// Describes this node.
NodeInterfaces own_interfaces();

struct InterfaceChoice {
  std::string device;  // of `me`; several as "a,b"; "" leaves it to the engine
  std::string why;     // "every node has an address of its own in 10.213.77.0/24"
};
/// The interface of node `me` in whose subnet every node has an address of its own; the fastest of
/// several. All nodes come to the same subnet. Bridges of containers have the same address on every
/// node, so that they drop out.
InterfaceChoice choose_interface(std::span<const NodeInterfaces> nodes, std::size_t me);

/// The node's interface in the subnet of `like`, not a loopback; nullptr where it has none.
const Interface* in_subnet(const NodeInterfaces& node, const Interface& like);

/// Finds the interface that the user wants, by a name or a subnet ("10.213.77.0/24"): its name. A
/// subnet in which this node has no address gives "".
std::string find_interface(std::string_view wanted, std::span<const Interface> own);

}  // namespace armature::topology
