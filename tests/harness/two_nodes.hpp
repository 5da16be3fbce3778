#pragma once

#include <chrono>
#include <memory>
#include <thread>

#include "harness/job.hpp"
#include "harness/peer.hpp"
#include "harness/peer_exchange.hpp"
#include "net/network.hpp"
#include "wait/implicit.hpp"
#include "wait/rank_context.hpp"

namespace armature::harness {

/// A job of two nodes: rank 0 is this process, which believes that ranks 1 and 2 are a process on
/// another node. That one is the peer, behind the real network with an engine that has none.
class TwoNodes {
 public:
  static constexpr int ranks = 3;

  /// Options of a network that has this service, and gives up nobody for being silent.
  [[nodiscard]] static net::NetworkOptions with(const transport::Service& service) {
    net::NetworkOptions chosen;
    chosen.heartbeat_ns = 0;
    chosen.services = {&service};
    return chosen;
  }

  explicit TwoNodes(net::NetworkOptions options = {}, int greets_after = 0);
  TwoNodes(const TwoNodes&) = delete;
  TwoNodes& operator=(const TwoNodes&) = delete;
  ~TwoNodes();

  [[nodiscard]] const space::Mapping& mapping() const { return job_.mapping(); }
  [[nodiscard]] space::AddressSpace& space() { return *space_; }
  [[nodiscard]] wait::RankContext& context() { return *context_; }
  Peer peer;

  /// Whether that comes to hold, while this rank polls or does nothing.
  template <class Condition>
  [[nodiscard]] static bool until(Condition condition, bool polls = true) {
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(20);
    while (!condition()) {
      if (polls)
        (void)net::network()->poll();
      else
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
      if (std::chrono::steady_clock::now() > deadline) return false;
    }
    return true;
  }

 private:
  Job job_{ranks};
  std::unique_ptr<space::AddressSpace> space_;
  PeerExchange exchange_;
  std::unique_ptr<wait::RankContext> context_;
  wait::Implicit implicit_;
  wait::RankContext* before_ = nullptr;
};

}  // namespace armature::harness
