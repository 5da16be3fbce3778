#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "base/sparse_table.hpp"
#include "net/rank_map.hpp"
#include "net/stream_gates.hpp"
#include "space/address_space.hpp"
#include "transport/channel.hpp"
#include "transport/links.hpp"
#include "transport/mailbox.hpp"

// Between ranks of a node, messages and remote calls lie in rings: in the sender's segment, read in
// place by the receiver. Between nodes such a ring has a proxy in the receiver's own segment: the
// sender writes the ring, the receiver reads the proxy, and the network carries bytes one way and
// how far they were read the other way. Neither side's code knows. A rank leaves the address of its
// ring in the head of the receiver's segment, of which each node has its own, and notifies the
// receiver, which for a rank on another node means that somebody looks here.
//
// What comes for a rank comes to the process that it began in; what it sends leaves from the one
// that it is in. So the two halves of a pair may be of two processes. What the second half must
// know is written in the rings themselves.
//
// A proxy has the capacity of its ring, and the same bytes at the same positions; the sender never
// writes over what the receiver still looks at. So a proxy never lacks room.

namespace armature::net {

/// The rings between ranks of this process and ranks on other nodes.
class RemoteRings {
 public:
  RemoteRings(transport::Links& links, const RankMap& map);
  RemoteRings(const RemoteRings&) = delete;
  RemoteRings& operator=(const RemoteRings&) = delete;
  ~RemoteRings();

  // Records of other processes' halves.
  void on_ring(const transport::Arrived& arrived);
  void on_room(const transport::Arrived& arrived);
  void on_notify(const transport::Arrived& arrived);

  /// Whether what `rank` of this process has left for `other` is looked at without being asked, and
  /// may wait for that. Takes no lock: asked for every remote call.
  [[nodiscard]] bool looks_soon(int rank, int other) const;

  /// Sends what `rank` of this process has left for `other` since we looked last. `all` false:
  /// a few bytes may wait while others are under way. Under the links' lock.
  void look(int rank, int other, bool all);
  /// Makes calls and notifications of `rank` of this process to `other` from now on leave after the
  /// records of all streams that have begun so far. Under the links' lock.
  void put_behind_streams(int rank, int other);
  /// Whether something of that rank's waits for them.
  [[nodiscard]] bool holds_back(int rank) const { return gates_.holds_back(rank); }
  /// All of one of them has been sent.
  void streams_went_on(const transport::Link& link);
  /// Looks again at the pairs that waited: at all of them, at those of one rank, or at those of one
  /// link.
  void look_again();
  void look_again(int rank);
  void look_again(const transport::Link& link);
  [[nodiscard]] bool holds() const { return !waiting_.empty(); }

  /// Proxies in this process are freed: nobody reads or fills them any more.
  void close_proxies();
  /// No ring that there was is there any more.
  void forget_all();
  /// The process hosts other ranks from now on. No rank runs, nothing has come for any.
  void reset();

 private:
  enum class What : std::uint32_t { messages, calls };
  static constexpr std::size_t kinds = 2;

  struct Ring {
    std::byte* bytes = nullptr;
    std::uint64_t capacity = 0;
    std::atomic<std::uint64_t>* written = nullptr;
    std::atomic<std::uint64_t>* read = nullptr;
    std::atomic<std::uint64_t>* carried = nullptr;  // by the process that the rank is in
    transport::Channel* channel = nullptr;          // of calls, which may be pinned

    static Ring of(transport::Channel& channel);
    static Ring of(transport::Ring& ring);
  };
  using Outgoing = Ring;
  struct Incoming : Ring {
    void* proxy = nullptr;   // where it was made
    std::uint64_t came = 0;  // bytes, since ever; the last of them may not be shown yet
  };
  struct Pair {
    int rank, other;
    Outgoing out[kinds];
    Incoming in[kinds];
    // Written under the lock, read without.
    std::atomic<std::uint64_t> notified = 0;
    std::atomic<bool> waits = false;  // is in waiting_
    std::atomic<const Outgoing*> calls = nullptr;
  };
  struct Bytes;  // what records hold
  struct Room;

  Pair& pair(int rank, int other);
  [[nodiscard]] std::size_t place(int rank, int other) const;
  [[nodiscard]] Ring ring_of(int from, int to, What what) const;
  [[nodiscard]] bool find(Pair& pair, What what);
  template <class Is>
  void look_again_at(Is&& is);
  void look(Pair& between, bool all);
  void send_bytes(Pair& pair, What what, std::uint64_t written);
  void tell_room(Pair& pair, What what);
  void make_proxy(Pair& pair, What what, std::uint64_t capacity);
  [[nodiscard]] transport::Link& link_to(int rank) const {
    return links_.to(map_.process_of(rank));
  }

  transport::Links& links_;
  const RankMap& map_;
  // By place(); made when first needed. Of many ranks few speak with each other.
  base::ZeroTable<std::atomic<Pair*>> pairs_;
  std::vector<std::unique_ptr<Pair>> made_;
  std::vector<Pair*> waiting_;
  StreamGates gates_;
};

}  // namespace armature::net
