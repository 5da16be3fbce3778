#pragma once

#include <cstddef>
#include <span>

#include "armature/accumulate.hpp"
#include "armature/rank.hpp"
#include "armature/segments.hpp"
#include "net/network.hpp"
#include "rma/far_records.hpp"
#include "rma/records.hpp"
#include "rma/runs.hpp"
#include "rma/section.hpp"
#include "rma/write_stream.hpp"

// One-sided operations on ranks of other nodes, as the caller makes them. Each is a record or
// several to the process of that rank, which does what is asked whatever the rank itself is doing
// (far_serve.cpp). Records to one process are handled in their order, so puts, accumulates, atomics
// and gets of one process to one rank take effect in the order of their calls.

namespace armature::rma {

/// The network, when the rank is on another node and there is one; else nullptr. For ranks that are
/// none, nullptr: the local check says so.
[[nodiscard]] Network* far(Rank rank, const char* call);

/// Who asks: the calling rank, or -1 for a thread that runs none.
[[nodiscard]] int sender();

/// Throws what Mapping::require throws, for a rank on another node.
void require_far(Network& net, Rank rank, const void* address, std::size_t bytes, const char* call);

/// Returns when `from` may be changed.
void put_far(Network& net, Rank rank, void* to, const void* from, std::size_t bytes,
             const char* call);
void write_far(Network& net, Rank rank, void* to, const void* from, const Section& section,
               const FarUpdate& update);
void write_far(Network& net, Rank rank, const Segments& pieces, const FarUpdate& update);
/// The same behind a handle. nullptr: `from` may be changed already.
[[nodiscard]] detail::Request* put_far_later(Network& net, Rank rank, void* to, const void* from,
                                             std::size_t bytes, const char* call);
[[nodiscard]] detail::Request* write_far_later(Network& net, Rank rank, void* to, const void* from,
                                               const Section& section, const FarUpdate& update);
[[nodiscard]] detail::Request* write_far_later(Network& net, Rank rank,
                                               std::span<const Segments> lists,
                                               const FarUpdate& update);

/// Whether a question leaves at once, or with those that are asked before somebody waits.
enum class Asked { now, with_others };
/// Sends what was asked for in `question`; it waits for the answer.
void ask_section(Network& net, Rank rank, std::uint64_t question, const void* from,
                 std::size_t row_bytes, const Runs::Levels& levels, Asked asked = Asked::now);
void get_far(Network& net, Rank rank, void* to, const void* from, std::size_t bytes,
             const char* call);
void get_far(Network& net, Rank rank, void* to, const void* from, const Section& section,
             const char* call);
void get_far(Network& net, Rank rank, const Segments& pieces, const char* call);
/// The same behind a handle.
[[nodiscard]] detail::Request* get_far_later(Network& net, Rank rank, void* to, const void* from,
                                             const Section& section);
[[nodiscard]] detail::Request* get_far_later(Network& net, Rank rank,
                                             std::span<const Segments> lists);

/// A question as a record, and what follows it.
void ask(Network& net, Rank rank, Kind kind, std::span<const std::byte> record,
         std::span<const std::byte> rest = {}, Asked asked = Asked::now);

std::uint64_t atomic_far(Network& net, Rank rank, AtomicRecord what, const char* call);
/// The same behind a future.
[[nodiscard]] detail::Request* atomic_far_later(Network& net, Rank rank, AtomicRecord what,
                                                const char* call);

/// What this process does for others: kinds of records and their handlers.
void serve_far(transport::Links& links);
/// Ranks go back to what they were: what they have asked, and what others have asked of them, is
/// void. Under the links' lock.
void forget_far();
/// What is known of the others' memory is, too.
void forget_extents(const Network& net);

}  // namespace armature::rma
