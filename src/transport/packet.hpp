#pragma once

#include <cstddef>
#include <cstdint>

// What travels between two processes: packets, each a header and records behind it. A record says
// what it is (its kind), for which rank, from which; its body is the business of whoever handles
// that kind. Records of one process to one other arrive in the order they were sent.

namespace armature::transport {

struct PacketHeader {
  static constexpr std::uint32_t wants_ack = 1;  // something in it must be known to have arrived
  static constexpr std::uint32_t ack_soon = 2;   // somebody may be waiting for just that

  std::uint64_t secret = 0;        // of the job: who does not know it is not of the job
  std::uint32_t sequence = 0;      // counts this process's packets to that one
  std::uint32_t acknowledged = 0;  // up to this one of the other's have been handled
  std::int32_t process = 0;        // the sender
  std::uint32_t flags = 0;
};
static_assert(sizeof(PacketHeader) == 24);

enum class Kind : std::uint16_t {
  none,  // of a packet that only acknowledges
  hello,
  bye,   // nothing more will come
  life,  // what has become of a rank
  ring,  // bytes of a ring: messages, remote calls
  room,  // how far a ring has been read
  notify,
  put,
  write,   // rows, or an accumulate
  pieces,  // the same, by a list of addresses
  get,
  gather,  // the same, by a list of addresses
  data,    // what was got
  atomic,
  value,  // what it found
  check,  // is this address good?
  checked,
  lock,  // a mutex: answered when it is the asker's turn
  unlock,
  leave_lock,  // who has asked does not want it any more
  turn,
  key,  // how can that memory be reached by the engine?
  keyed,
  round,     // what members of a team show
  piece,     // a part of what one of them shows, before that
  wave,      // of a fence of remote calls
  refuse,    // a team cannot be made; or: this is known
  reply,     // the answer to a remote question
  unwanted,  // nobody waits for it any more
  circle,    // of ranks that are full: is there one?
  urgent,    // what came before it from that rank is
  // Virtual ranks that go to other nodes, while all processes stand still:
  plan,       // who goes where
  step,       // how far a process is
  problem,    // what has gone wrong
  whole,      // a checkpoint is to be of all, not of what has changed
  pages,      // of a rank's band
  traveller,  // what else there is of it
  notified,   // how often it had notified others
  // Copies of virtual ranks' bands in memory, on other nodes:
  copy_pages,
  copied,
  lost,  // who is, and that nothing from before that comes any more
  count,
};

/// Whether a rank itself sends that, and what it sends next must not come before: not what its
/// process does for others.
[[nodiscard]] constexpr bool is_of_rank(Kind kind) {
  switch (kind) {
    case Kind::ring:
    case Kind::room:
    case Kind::notify:
    case Kind::put:
    case Kind::write:
    case Kind::pieces:
    case Kind::get:
    case Kind::gather:
    case Kind::atomic:
    case Kind::check:
    case Kind::lock:
    case Kind::unlock:
    case Kind::leave_lock:
    case Kind::round:
    case Kind::piece:
    case Kind::wave:
    case Kind::refuse:
    case Kind::reply:
      return true;
    default:
      return false;
  }
}

struct Record {
  Kind kind = Kind::none;
  std::uint16_t filler = 0;  // bytes behind the body, up to a multiple of 8
  std::uint32_t bytes = 0;   // this and the body, without what the packet's sender lent
  std::int32_t from = -1;
  std::int32_t to = -1;
};
static_assert(sizeof(Record) == 16);

}  // namespace armature::transport
