#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

#include "rma/remote.hpp"
#include "wait/outstanding.hpp"

// The parts that transfers by the engine's own operations have in common (by_engine.cpp,
// engine_words.cpp): keys of the memory of other ranks, and operations that are under way.
//
// Keys are of chunks of segments. The target registers a chunk when it is first asked for it
// (registered_memory.hpp), and both sides remember, until the target asks for the key back. A
// registration stays as it is while ranks move inside their node, as a node's segments lie in its
// memory files. When ranks go to other nodes, or roll back, all keys of the job end: an epoch.
// Nothing is under way then, and the next transfer asks for a key of the next epoch, by a record.
// Transfers to what cannot be registered go by records.

namespace armature::rma {

/// A chunk as the engine reaches it; no rkey: it does not.
struct EngineKey {
  void* rkey = nullptr;
  int process = -1;  // which has registered it. A rank may be in another one of its node meanwhile
};

/// The key of the chunk with that address. Asks for it where this process does not know it yet.
[[nodiscard]] EngineKey key_of(Network& net, Rank rank, std::uint64_t address, const char* call);
/// That key, where this process has it, which counts as used from now on. Under the links' lock.
[[nodiscard]] EngineKey key_in_use(const Network& net, Rank rank, std::uint64_t address);
/// The part of so many bytes that lies in the first one's chunk.
[[nodiscard]] std::size_t part_in_chunk(const Network& net, Rank rank, std::uint64_t address,
                                        std::size_t bytes);
/// Returns begin(engine, key), with the key of the chunk with that address: whether it has begun.
/// Under the links' lock, so that the key is not given up before what begins with it has begun.
/// False where the engine does not reach that memory.
template <class Begin>
[[nodiscard]] bool begin_with_key(Network& net, Rank rank, std::uint64_t address, const char* call,
                                  Begin begin) {
  for (;;) {
    if (key_of(net, rank, address, call).rkey == nullptr) return false;
    const transport::Links::Lock locked(net.links().lock());
    const EngineKey key = key_in_use(net, rank, address);
    if (key.rkey == nullptr) continue;  // it was given up meanwhile
    return begin(net.links().engine(), key);
  }
}
/// The handlers of what others say about keys of their memory.
extern const std::array<transport::Handling, 1> key_handlers;
/// Lets go of keys that their owners have asked for, of which nothing is under way any more.
/// Whether there are others. Under the links' lock.
bool give_up_keys();

/// Something that the engine carries out, in one or more parts. It lies in memory of the rank that
/// has begun it, and stays there until it is over: the rank may be in another process by then.
class UnderWay : public transport::Sending {
 public:
  UnderWay();
  UnderWay(const UnderWay&) = delete;
  UnderWay& operator=(const UnderWay&) = delete;

  /// Returns the token of so many more parts. Under the links' lock.
  [[nodiscard]] std::uint64_t begin(std::size_t parts = 1);
  /// So many of them will not begin. Under the links' lock.
  void take_back(std::size_t parts = 1);
  /// The transfer counts as an operation of so many bytes while it is under way. To be called
  /// before it begins.
  void count(std::size_t bytes) { bytes_ = bytes; }
  [[nodiscard]] std::size_t parts() const { return parts_.load(std::memory_order_acquire); }
  /// Blocks until there are no more parts than that.
  void await(Network& net, std::size_t parts_max, const char* call) const;

 private:
  const int sender_ = sender();  // who may sleep until it is over
  std::size_t bytes_ = 0;        // that it counts for; 0: it does not count
  wait::Charge charge_;
  std::atomic<std::size_t> parts_ = 0;
  std::uint64_t number_ = 0;  // in net::EngineParts, while there are some

  void note_end();
};

/// The keys of others end here, as ranks go to other nodes or roll back. What they have begun is
/// over first. Under the links' lock.
void forget_keys();

}  // namespace armature::rma
