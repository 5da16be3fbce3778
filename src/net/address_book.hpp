#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "bootstrap/exchange.hpp"
#include "space/control.hpp"

namespace armature::net {

/// How the processes of the job are reached. Each publishes that by the exchange. Who connects to
/// one looks it up, perhaps long after the start. Where the exchange asks somebody for each value,
/// the first process of a node does so once, for all of the node.
class AddressBook {
 public:
  /// `control` is the node's block, mapped as long as this lives.
  AddressBook(const space::Control& control, bootstrap::Exchange& exchange)
      : control_(control), exchange_(exchange) {}
  AddressBook(const AddressBook&) = delete;
  AddressBook& operator=(const AddressBook&) = delete;
  ~AddressBook() = default;

  /// `services` is a hash of those of this process.
  void publish(std::uint64_t services, std::span<const std::byte> address);
  /// Collective over the processes of the node, which all have published. Throws Error(start) when
  /// the first of them does not come within the start time-out.
  void keep_for_node(bool is_first);

  // Throw Error(start) for a process that has published nothing.
  [[nodiscard]] std::uint64_t services_of(int process) const;
  [[nodiscard]] std::vector<std::byte> address_of(int process) const;

 private:
  [[nodiscard]] const space::AddressSlot* kept(int process) const;

  const space::Control control_;
  bootstrap::Exchange& exchange_;
};

}  // namespace armature::net
