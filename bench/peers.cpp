#include "bench/peers.hpp"

#include <fstream>
#include <sstream>
#include <stdexcept>

namespace armature::bench {

namespace {

/// Neither the machine itself nor we are peers of ours. What took so long for so little was stuck
/// until its target came back to the library.
bool counts(const Peer& peer, std::size_t bytes) {
  constexpr double stuck_ns = 2e8;
  constexpr std::size_t little_bytes = std::size_t{1} << 20;
  return peer.system != "limit" && peer.system != "armature" && peer.ns > 0 &&
         (peer.ns < stuck_ns || bytes >= little_bytes);
}

}  // namespace

Peers::Peers(const std::string& path) {
  std::ifstream file(path);
  if (!file) throw std::runtime_error("cannot read " + path);
  std::ostringstream lines;
  lines << file.rdbuf();
  take(path, lines.str());
}

void Peers::take(const std::string& what, const std::string& text) {
  bool has_rows = false;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    std::istringstream fields(line);
    Peer peer;
    std::string op;
    std::size_t bytes = 0;
    if (!(fields >> peer.system >> op >> bytes >> peer.ns) || !counts(peer, bytes)) continue;
    has_rows = true;
    const auto [place, added] = best_.try_emplace({op, bytes}, peer);
    if (!added && peer.ns < place->second.ns) place->second = peer;
  }
  if (!has_rows)
    throw std::runtime_error(
        what + " holds no rows of system, operation, bytes and ns, separated by tabs");
}

std::optional<Peer> Peers::best(const std::string& op, std::size_t bytes) const {
  const auto found = best_.find({op, bytes});
  if (found == best_.end()) return std::nullopt;
  return found->second;
}

}  // namespace armature::bench
