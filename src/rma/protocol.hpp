#pragma once

#include <cstdint>

#include "rma/memory.hpp"
#include "rma/operation.hpp"
#include "rma/remote_records.hpp"
#include "wait/request.hpp"

namespace armature::rma {

/// Whether the caller waits for the end at once, or begins something else.
enum class Finish { now, later };

struct Atomic {
  Rank rank;
  AtomicRecord record;
  const char* call;
};

/// A way in which the bytes of an operation reach their places.
struct Protocol {
  const char* name;
  /// Begins an operation whose memory was checked. nullptr: it is complete on this side, as it is
  /// always when that is to be now.
  detail::Request* (*start)(const Operation& what, Finish finish);
  /// Begins an atomic, whose value goes to `found` when it is complete; nullptr for a protocol that
  /// has no atomics.
  detail::Request* (*start_atomic)(const Atomic& what, Finish finish, std::uint64_t& found);
};

extern const Protocol load_store;   // the caller's own instructions
extern const Protocol packet;       // copied into records, of which many travel together
extern const Protocol zero_copy;    // records that name the caller's memory, which the engine reads
extern const Protocol engine;       // the network's own put and get
extern const Protocol engine_word;  // the same for words, and its atomics, where they are faster
extern const Protocol by_mapping;   // the caller's instructions, on a file that the owner shares
extern const Protocol by_kernel;    // the kernel copies between processes of a node
extern const Protocol errand;       // a thread beside the rank does it for those of its node
extern const Protocol by_routine;   // memory that loads and stores do not reach, of this process

/// The operations on segments that the network does by itself.
struct EngineDoes {
  bool long_pieces = false;
  bool words = false;
  bool atomics = false;
};
/// Says which of them moves what between this process and others, once its network is there.
void choose_protocols(const EngineDoes& does);

/// The one for an operation on that kind of memory.
[[nodiscard]] const Protocol& protocol_of(const Operation& what, const Memory& memory,
                                          Finish finish);

/// Checks an operation, and begins it by the protocol that is there for its peer and its size.
/// Throws Error(bad_rank) and Error(bad_address).
[[nodiscard]] detail::Request* start(const Operation& what, Finish finish);
/// Begins an operation whose memory is known to lie in a segment.
[[nodiscard]] detail::Request* start_good(const Operation& what, Finish finish);
/// The two for an atomic.
[[nodiscard]] detail::Request* start(const Atomic& what, Finish finish, std::uint64_t& found);
[[nodiscard]] detail::Request* start_good(const Atomic& what, Finish finish, std::uint64_t& found);

}  // namespace armature::rma
