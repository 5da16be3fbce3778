#include "net/address_book.hpp"

#include <algorithm>
#include <chrono>
#include <cstring>

#include "base/fail.hpp"
#include "base/futex.hpp"
#include "bootstrap/start_timeout.hpp"

namespace armature::net {
namespace {

constexpr const char* address_key = "net.address";
constexpr const char* services_key = "net.services";

std::uint64_t read_services(bootstrap::Exchange& exchange, int process) {
  const std::vector<std::byte> told = exchange.get(process, services_key);
  std::uint64_t services = 0;
  if (told.size() == sizeof services) std::memcpy(&services, told.data(), sizeof services);
  return services;
}

/// Returns when the first process of the node has written its slots.
void await_slots(std::atomic<std::uint32_t>& has_addresses) {
  const auto until = std::chrono::steady_clock::now() + bootstrap::start_timeout();
  constexpr long look_every_ns = 100'000'000;
  while (has_addresses.load(std::memory_order_acquire) == 0) {
    base::futex_wait(has_addresses, 0, look_every_ns);
    if (std::chrono::steady_clock::now() > until)
      base::fail(Errc::start, "the first process of this node does not say how others are reached");
  }
}

}  // namespace

void AddressBook::publish(std::uint64_t services, std::span<const std::byte> address) {
  exchange_.put(address_key, address);
  exchange_.put(services_key, std::as_bytes(std::span(&services, 1)));
}

void AddressBook::keep_for_node(bool is_first) {
  std::atomic<std::uint32_t>& has_addresses = control_.header().here.has_addresses;
  if (!is_first) return await_slots(has_addresses);
  for (int process = 0; process < static_cast<int>(control_.header().processes); ++process) {
    if (control_.process(process).node == control_.header().node) continue;
    space::AddressSlot& slot = control_.address(process);
    const std::vector<std::byte> address = exchange_.get(process, address_key);
    slot.services = read_services(exchange_, process);
    if (address.size() > space::AddressSlot::bytes_max) continue;
    std::ranges::copy(address, slot.address);
    slot.bytes = static_cast<std::uint32_t>(address.size());
  }
  // Release: who sees it sees the slots.
  has_addresses.store(1, std::memory_order_release);
  base::futex_wake(has_addresses);
}

/// nullptr: the exchange knows it.
const space::AddressSlot* AddressBook::kept(int process) const {
  if (control_.header().here.has_addresses.load(std::memory_order_acquire) == 0) return nullptr;
  const space::AddressSlot& slot = control_.address(process);
  return slot.bytes != 0 ? &slot : nullptr;
}

std::uint64_t AddressBook::services_of(int process) const {
  const space::AddressSlot* const slot = kept(process);
  return slot != nullptr ? slot->services : read_services(exchange_, process);
}

std::vector<std::byte> AddressBook::address_of(int process) const {
  const space::AddressSlot* const slot = kept(process);
  if (slot == nullptr) return exchange_.get(process, address_key);
  return {slot->address, slot->address + slot->bytes};
}

}  // namespace armature::net
