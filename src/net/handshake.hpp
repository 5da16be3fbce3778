#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "bootstrap/exchange.hpp"
#include "net/network_options.hpp"
#include "net/peers.hpp"
#include "net/rank_map.hpp"
#include "transport/links.hpp"

namespace armature::net {

/// Collective: a secret by which processes of the job know each other.
[[nodiscard]] std::uint64_t agree_on_secret(bootstrap::Exchange& exchange);

/// How the processes of a job meet when the network begins, and part when it ends.
class Handshake {
 public:
  /// `poll` polls the network.
  Handshake(transport::Links& links, Peers& peers, const RankMap& map, std::function<void()> poll)
      : links_(links), peers_(peers), map_(map), poll_(std::move(poll)) {}
  Handshake(const Handshake&) = delete;
  Handshake& operator=(const Handshake&) = delete;
  ~Handshake() = default;

  /// Collective: connects to all other nodes, and returns when all have answered. Throws
  /// Error(start) naming interface, address and process.
  void meet(bootstrap::Exchange& exchange, const NetworkOptions& options);
  /// Nothing is unread when a process has everybody's good-bye, so that its end cuts nobody short.
  void part();

 private:
  void require_same_services(bootstrap::Exchange& exchange, const NetworkOptions& options);
  void connect(bootstrap::Exchange& exchange, const NetworkOptions& options);
  void await_greetings(const NetworkOptions& options);
  void tell_connecting_to(int rank) const;

  transport::Links& links_;
  Peers& peers_;
  const RankMap& map_;
  std::function<void()> poll_;
};

}  // namespace armature::net
