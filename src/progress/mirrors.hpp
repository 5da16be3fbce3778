#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "base/sparse_table.hpp"
#include "space/address_space.hpp"
#include "transport/channel.hpp"
#include "transport/links.hpp"
#include "transport/mailbox.hpp"

// Between ranks of a node, messages and remote calls lie in rings: in the sender's band, read in
// place by the receiver. Between nodes the ring is there twice: the sender writes its own, the
// receiver reads an image of it in its own band, and the network carries bytes one way and how far
// they were read the other way. Neither side's code knows: a rank leaves the address of its ring in
// the head of the receiver's band, of which each node has its own, and rings the receiver's bell,
// which for a rank on another node means that somebody looks here.
//
// An image has the capacity of its ring, and the same bytes at the same positions; the sender never
// writes over what the receiver still looks at. So an image never lacks room.

namespace armature::progress {

class Network;

class Mirrors {
 public:
  explicit Mirrors(Network& network);
  Mirrors(const Mirrors&) = delete;
  Mirrors& operator=(const Mirrors&) = delete;
  ~Mirrors();
  static void install(transport::Links& links);

  /// Whether what `rank` of this process has left for `other` is looked at without being asked, and
  /// may wait for that. Takes no lock: asked for every remote call.
  [[nodiscard]] bool looks_soon(int rank, int other) const;

  /// Sends what `rank` of this process has left for `other` since we looked last. `all` false:
  /// a few bytes may wait while others are under way. Under the links' lock.
  void look(int rank, int other, bool all);
  /// What waited.
  void look_again();
  void look_again(const transport::Link& link);
  [[nodiscard]] bool holds() const { return !waiting_.empty(); }

  /// Images of what came for a rank of this process are freed: nobody reads or fills them any more.
  void close(int rank);
  /// No ring that there was is there any more.
  void forget_all();
  /// The process hosts other ranks from now on. No rank runs, nothing has come for any.
  void begin_anew();

 private:
  enum class What : std::uint32_t { messages, calls };
  static constexpr std::size_t kinds = 2;

  struct Ring {
    std::byte* bytes = nullptr;
    std::uint64_t capacity = 0;
    std::atomic<std::uint64_t>* written = nullptr;
    std::atomic<std::uint64_t>* read = nullptr;
    transport::Channel* channel = nullptr;  // of calls, which may be pinned
  };
  struct Outgoing : Ring {
    std::atomic<std::uint64_t> sent = 0;  // written under the lock
  };
  struct Incoming : Ring {
    void* image = nullptr;
    std::uint64_t came = 0;  // bytes, since ever; the last of them may not be shown yet
    std::uint64_t told = 0;  // to the sender: read so far
    bool pins_told = false;  // some were
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
  [[nodiscard]] bool find(Pair& pair, What what);
  void look(Pair& between, bool all);
  void send_bytes(Pair& pair, What what);
  void tell_room(Pair& pair, What what);
  void make_image(Pair& pair, What what, std::uint64_t capacity);
  void on_ring(const transport::Arrived& arrived);
  void on_room(const transport::Arrived& arrived);
  void on_notify(const transport::Arrived& arrived);

  Network& network_;
  // By place(); made when first needed. Of many ranks few speak with each other.
  base::ZeroTable<std::atomic<Pair*>> pairs_;
  std::vector<std::unique_ptr<Pair>> made_;
  std::vector<Pair*> waiting_;
};

}  // namespace armature::progress
