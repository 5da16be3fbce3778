#pragma once

#include <functional>
#include <span>
#include <vector>

#include "bootstrap/exchange.hpp"
#include "net/address_book.hpp"
#include "net/engine_parts.hpp"
#include "net/flush.hpp"
#include "net/handshake.hpp"
#include "net/heartbeat.hpp"
#include "net/network_options.hpp"
#include "net/node_tree.hpp"
#include "net/peers.hpp"
#include "net/progress_thread.hpp"
#include "net/rank_map.hpp"
#include "net/remote_rings.hpp"
#include "space/address_space.hpp"
#include "transport/links.hpp"
#include "wait/poller.hpp"

// The process's way to ranks on other nodes. There is none where a job has one node.
//
// Whoever waits polls it. Besides, a thread of its own does while nobody else looks
// (progress_thread.hpp), so that what others ask of this process is done while it computes.

namespace armature::net {

/// Puts the parts of a process's network together: links, who is where, the processes on other
/// nodes, remote rings, flushing, and the progress thread.
class Network final : public wait::Poller {
 public:
  using Spaces = RankMap::Spaces;

  /// Collective over all processes. `spaces` are the ranks that this process hosts. One that comes
  /// later (ProcessSlot::is_to_come) calls it alone, and knows nobody yet. `exchange` stays as long
  /// as the network. Throws Error(start) naming interface, address and process.
  static void join(const space::Mapping& mapping, Spaces spaces, bootstrap::Exchange& exchange,
                   const NetworkOptions& options);
  /// Meets processes of other nodes that this one does not know yet: they come (`they`), or this
  /// one does. Those do the same. Who comes speaks first: nothing is sent to one that has ended
  /// before. `watch` is called while others are waited for, and may throw. Throws Error(start),
  /// too.
  enum class Comes { they, this_one };
  void meet(std::span<const int> others, Comes who, const std::function<void()>& watch);
  /// Collective: returns when no other process will ask for anything any more.
  static void leave();

  [[nodiscard]] transport::Links& links() { return links_; }
  /// The link to the process by which that rank, which is on another node, is reached.
  [[nodiscard]] transport::Link& link_to(int rank) { return links_.to(map_.process_of(rank)); }
  /// The map from ranks to processes, as it was when all were last quiescent.
  [[nodiscard]] const RankMap& rank_map() const { return map_; }
  [[nodiscard]] const space::Mapping& mapping() const { return map_.mapping(); }
  [[nodiscard]] space::AddressSpace* space_of(int rank) const { return map_.space_of(rank); }
  /// The processes on other nodes.
  [[nodiscard]] Peers& peers() { return peers_; }
  [[nodiscard]] const std::vector<int>& others() const { return peers_.all(); }
  [[nodiscard]] RemoteRings& rings() { return rings_; }
  [[nodiscard]] Flush& flush() { return flush_; }
  [[nodiscard]] EngineParts& engine_parts() { return engine_parts_; }
  [[nodiscard]] ProgressThread& thread() override { return thread_; }

  /// From now on it hosts these, as slots of all ranks say. No rank of the job runs, and nothing is
  /// on its way between processes.
  void host(Spaces spaces);
  /// Before that, while ranks are still where they were: what this process has made in their
  /// segments is given back.
  void close();
  /// Ranks roll back to what they were, or have let go of all to go to other nodes: nothing that is
  /// kept of them here, for others or themselves, means anything any more; services forget it. No
  /// rank of this process runs. Under the links' lock.
  void forget_ranks();

  /// Handles what has come, sends what was held back. Never blocks.
  bool poll();
  /// For threads that wait: does nothing while another thread is at it. Whether there was
  /// something.
  bool try_poll() override;
  /// The calling rank has left something for that rank where it finds it on a node: see what.
  void doorbell(int rank) override;

  /// Begins a transfer of a rank of this process, or of none (-1), to that process. The caller
  /// waits for it; or computes from now on, while the network's thread sends it.
  enum class Start { now, beside };
  void start(transport::Stream& stream, int rank, int process, Start how);

 private:
  Network(const space::Mapping& mapping, Spaces spaces, const transport::Links::Options& options,
          bootstrap::Exchange& exchange, NetworkOptions how);
  [[nodiscard]] Handshake handshake(std::function<void()> watch);
  [[nodiscard]] bool look();
  [[nodiscard]] bool progress();
  void failed(int process, const char* why);

  RankMap map_;
  EngineParts engine_parts_;  // before the engine, which may tell of some as it ends
  transport::Links links_;
  RemoteRings rings_;
  Peers peers_;
  Heartbeat heartbeat_;
  Flush flush_;
  std::vector<bool (*)()> polls_;  // of services
  ProgressThread thread_;
  AddressBook book_;  // by which it finds those to which it connects later
  const NetworkOptions options_;
};

/// The calling thread's runtime's; nullptr where the job has one node.
inline Network* network() {
  // No other poller is ever set.
  return static_cast<Network*>(wait::poller());
}

/// The network when that rank is on another node, else nullptr.
inline Network* network_to(const space::Mapping& mapping, int rank) {
  Network* const net = network();
  return net != nullptr && !mapping.is_here(rank) ? net : nullptr;
}

}  // namespace armature::net
