#pragma once

#include <cstdint>
#include <vector>

#include "net/engine_parts.hpp"
#include "net/peers.hpp"
#include "net/rank_map.hpp"
#include "net/remote_rings.hpp"
#include "transport/links.hpp"
#include "wait/poller.hpp"

namespace armature::net {

/// Waiting until records that were sent have been handled, or cannot be any more.
class Flush {
 public:
  Flush(transport::Links& links, const RankMap& map, Peers& peers, RemoteRings& rings,
        wait::Poller& poller, const EngineParts& parts)
      : links_(links), map_(map), peers_(peers), rings_(rings), poller_(poller), parts_(parts) {}
  Flush(const Flush&) = delete;
  Flush& operator=(const Flush&) = delete;
  ~Flush() = default;

  /// Blocks until everything sent so far to that rank's process has been handled there, and what
  /// the engine has begun by itself is over. Throws Error(rank_lost) when that cannot be any more.
  void to(int rank, const char* call);
  /// Blocks for what has been sent alone.
  void records_to(int rank, const char* call);
  /// Blocks until everything sent so far to all processes has been handled. Throws Error(rank_lost)
  /// once for a process that was lost with something on its way.
  void to_all(const char* call);
  /// Blocks until everything sent so far has been handled by all processes that can be reached,
  /// except process `but` (-1: no exception).
  void to_reachable(const char* call, int but = -1);
  /// Blocks while the engine has more to send than it should.
  void await_room(int rank, const char* call);

  /// Sends what was held back. Under the links' lock.
  void send_held();
  /// Whether all that this rank, which is in this process, has sent has been handled, and what the
  /// engine does for it is over: only then may
  /// it go to another one, whose links know nothing of these. If not, the others are asked to say
  /// so soon.
  [[nodiscard]] bool is_over(int rank);
  /// Sends what is left; whether nothing is on its way from here that will be acknowledged, and no
  /// service has anything under way. Under the links' lock.
  [[nodiscard]] bool is_drained();

 private:
  [[nodiscard]] transport::Link& link_to(int rank) const {
    return links_.to(map_.process_of(rank));
  }
  void await_engine(const char* call);
  void await_streams(int process, int rank, const char* call);
  [[nodiscard]] bool await_handled(int process, int rank, const char* call);
  [[nodiscard]] int next_open(std::size_t& at, int but);

  transport::Links& links_;
  const RankMap& map_;
  Peers& peers_;
  RemoteRings& rings_;
  wait::Poller& poller_;
  const EngineParts& parts_;
  std::vector<std::uint64_t> told_lost_;  // by process: packets whose loss has been reported
};

}  // namespace armature::net
