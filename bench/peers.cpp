#include "bench/peers.hpp"

#include <fstream>
#include <sstream>
#include <stdexcept>

namespace armature::bench {

namespace {

/// Neither the machine itself nor we are peers of ours, and what took so long was stuck until its
/// target came back to the library.
bool counts(const Peer& peer) {
  constexpr double stuck_ns = 2e8;
  return peer.system != "limit" && peer.system != "armature" && peer.ns > 0 && peer.ns < stuck_ns;
}

}  // namespace

Peers::Peers(const std::string& path) {
  std::ifstream file(path);
  if (!file) throw std::runtime_error("cannot read " + path);
  for (std::string line; std::getline(file, line);) {
    std::istringstream fields(line);
    Peer peer;
    std::string op;
    std::size_t bytes = 0;
    if (!(fields >> peer.system >> op >> bytes >> peer.ns) || !counts(peer)) continue;
    const auto [place, added] = best_.try_emplace({op, bytes}, peer);
    if (!added && peer.ns < place->second.ns) place->second = peer;
  }
  if (best_.empty())
    throw std::runtime_error(
        path + " holds no rows of system, operation, bytes and ns, separated by tabs");
}

std::optional<Peer> Peers::best(const std::string& op, std::size_t bytes) const {
  const auto found = best_.find({op, bytes});
  if (found == best_.end()) return std::nullopt;
  return found->second;
}

}  // namespace armature::bench
