#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <utility>

#include "bootstrap/exchange.hpp"
#include "net/address_book.hpp"
#include "net/connect_guard.hpp"
#include "net/network_options.hpp"
#include "net/peers.hpp"
#include "net/rank_map.hpp"
#include "transport/links.hpp"

namespace armature::net {

/// Collective: a secret by which processes of the job know each other.
[[nodiscard]] std::uint64_t agree_on_secret(bootstrap::Exchange& exchange);
/// Returns that secret, on which others have agreed before.
[[nodiscard]] std::uint64_t secret_of_job(bootstrap::Exchange& exchange);

/// How the processes of a job meet when the network begins, when one is first used, or when one
/// comes.
class Handshake {
 public:
  /// `poll` polls the network; what it throws ends the wait for others.
  Handshake(transport::Links& links, Peers& peers, const RankMap& map, const AddressBook& book,
            std::function<void()> poll)
      : links_(links), peers_(peers), map_(map), book_(book), poll_(std::move(poll)) {}
  Handshake(const Handshake&) = delete;
  Handshake& operator=(const Handshake&) = delete;
  ~Handshake() = default;

  /// Connects to these processes of other nodes, which do the same and have published, and returns
  /// when all have answered. Throws Error(start) naming interface, address and process.
  void meet(std::span<const int> others, const NetworkOptions& options);
  /// Connects to a process that may know nothing of this one, and does not wait for an answer.
  /// Under the links' lock. A process that cannot be reached is given up.
  void connect_to(int process, const NetworkOptions& options);
  /// Returns when each of them has connected to this process, to which it need not have. Throws
  /// Error(start).
  void await_words(std::span<const int> others, const NetworkOptions& options);

 private:
  void require_same_services(std::span<const int> others, const NetworkOptions& options);
  void connect(std::span<const int> others, const NetworkOptions& options);
  [[nodiscard]] ConnectGuard guard_of(const NetworkOptions& options,
                                      std::uint64_t patience_ns) const;
  void await_greetings(std::span<const int> others, const NetworkOptions& options);
  void tell_connecting_to(int rank) const;

  transport::Links& links_;
  Peers& peers_;
  const RankMap& map_;
  const AddressBook& book_;
  std::function<void()> poll_;
};

}  // namespace armature::net
