#pragma once

#include <array>
#include <cstdint>

#include "armature/rank.hpp"
#include "net/network.hpp"
#include "wait/lock.hpp"

// Mutexes of ranks on other nodes. The owner's process queues who asks and answers when it is his
// turn, so that waiting costs no messages. Ranks of the owner's node take and release the same
// words without a thought of the queue: the owner's process looks at it whenever it looks at the
// network.

namespace armature::rma {

struct RemoteMutex {
  Rank owner;
  const wait::LockWord* word;
  int index;  // for messages
};

/// Blocks until the calling thread holds it, whose token that is. Throws Error(rank_lost) when the
/// owner or the holder is lost, Error(misuse) when this thread holds it already.
void lock_remote(net::Network& net, const RemoteMutex& mutex, std::uint64_t token,
                 const char* call);
/// False when no thread of this rank holds it. Comes after the puts that were made to the owner
/// before.
[[nodiscard]] bool unlock_remote(net::Network& net, const RemoteMutex& mutex, std::uint64_t token,
                                 const char* call);

/// The handlers of this process for locks that others take.
extern const std::array<transport::Handling, 3> lock_handlers;
/// Gives locks to waiters whose turn has come. Returns whether somebody is still in a queue. Under
/// the links' lock.
bool look_at_locks();
/// Nobody waits any more.
void forget_locks();

}  // namespace armature::rma
