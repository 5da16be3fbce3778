#pragma once

#include <array>
#include <cstddef>
#include <span>

#include "armature/rank.hpp"
#include "net/network.hpp"
#include "rma/memory.hpp"
#include "rma/protocol.hpp"
#include "rma/records.hpp"

// One-sided operations on ranks of other nodes, as the caller makes them. Each is a record or
// several to the process of that rank, which does what is asked whatever the rank itself is doing
// (serve_remote.cpp). Records to one process are handled in their order, so puts, accumulates,
// atomics and gets of one process to one rank take effect in the order of their calls.

namespace armature::rma {

using net::Network;

/// The network, when the rank is on another node and there is one; else nullptr. For ranks that are
/// none, nullptr: the local check says so.
[[nodiscard]] Network* network_to(Rank rank, const char* call);

/// The requester: the calling rank, or -1 for a thread that runs none.
[[nodiscard]] int sender();

/// The kind of that memory of a rank of any node. Throws Error(bad_rank) or Error(bad_address), as
/// Mapping::require, unless it lies in the rank's segment or is exposed.
Memory require(Rank rank, const void* address, std::size_t bytes, const char* call);
/// Checks memory of a rank of another node in the same way.
Memory require_remote(Network& net, Rank rank, const void* address, std::size_t bytes,
                      const char* call);
/// The part of a segment on another node that is known to be allocated; it only grows.
[[nodiscard]] std::span<const std::byte> known_segment(const space::Mapping& mapping, Rank rank);
/// Checks pieces of so many bytes each of a rank of any node, as `require` does, and gives the kind
/// that holds for them all.
Memory require_each(Rank rank, std::span<const void* const> pieces, std::size_t bytes,
                    const char* call);
/// Throws Error(bad_argument) where the caller's side of a transfer that goes on while others run
/// is a thread-local variable, and each rank has its own: theirs are there by then.
void require_lasting(const void* side, std::size_t bytes, const char* call);
/// The kind of that memory of a rank of this node. Throws the same.
Memory require_local(const space::Mapping& mapping, Rank rank, const void* address,
                     std::size_t bytes, const char* call);

/// Whether a request leaves at once, or with those that are asked before somebody waits.
enum class Asked { now, with_others };
/// A request as a record, and what follows it.
void ask(Network& net, Rank rank, Kind kind, std::span<const std::byte> record,
         std::span<const std::byte> rest = {}, Asked asked = Asked::now);

/// Copies a put of checked memory into packets.
void put_in_packets(Network& net, Rank rank, void* to, const void* from, std::size_t bytes,
                    const char* call);

/// Asks for the bytes of a get that is no list: a PendingGet of that number takes them.
void ask_subarray(const Operation& what, std::uint64_t request, Asked asked);

/// A get that the rank's process answers; and an atomic (protocol.hpp).
[[nodiscard]] detail::Request* start_get(const Operation& what, Finish finish);
[[nodiscard]] detail::Request* ask_for_atomic(const Atomic& what, Finish finish,
                                              std::uint64_t& value);

/// The handlers of this process for requests of other nodes.
extern const std::array<transport::Handling, 9> remote_handlers;
/// Ranks roll back to what they were: what they have asked, and what others have asked of them, is
/// void. Under the links' lock.
void forget_remote();
/// Forgets the extents of other ranks' memory, too.
void forget_extents(const Network& net);

}  // namespace armature::rma
