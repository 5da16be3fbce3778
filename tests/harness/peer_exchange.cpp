#include "harness/peer_exchange.hpp"

#include <cstring>

namespace armature::harness {

void PeerExchange::put(std::string_view key, std::span<const std::byte> value) {
  values_[std::string(key)] = {value.begin(), value.end()};
  std::uint64_t& secret = Peer::the_one->secret;
  if (key == "net.secret") std::memcpy(&secret, value.data(), sizeof secret);
}

Bytes PeerExchange::look_up(int, std::string_view key) {
  Bytes value = values_[std::string(key)];
  if (key == "net.services" && Peer::has_other_services) value[0] ^= std::byte{1};
  return value;
}

}  // namespace armature::harness
