#pragma once

#include <cstddef>
#include <cstdint>

#include "wait/trace.hpp"

// Bytes between ranks, for `armature run --record-links FILE`: a table in a memory file of the
// launcher's, a row for each rank and a column for each partner. A rank adds to its own row what it
// puts, gets, accumulates, sends, notifies and calls, and what it reads of others in collectives.
// The launcher writes the table down in the end.

namespace armature::wait {

/// The variable that tells processes of the memory file.
inline constexpr const char* links_variable = "ARMATURE_RECORDED_LINKS";
/// The table has the square of that many numbers at most.
inline constexpr std::uint32_t links_ranks_max = 4096;

namespace detail {
void add_to_link(int partner, std::uint64_t bytes);
}  // namespace detail

/// Whether somebody has asked for them.
[[nodiscard]] inline bool records_links() { return detail::trace_state.links != nullptr; }
/// The calling rank moves so many bytes to or from that one.
inline void record_link(int partner, std::uint64_t bytes) {
  if (records_links()) [[unlikely]]
    detail::add_to_link(partner, bytes);
}
/// Bytes so far, by the calling rank, to and from that one. Where they are recorded.
[[nodiscard]] std::uint64_t bytes_of_link(int partner);
/// Opens the table of a job of so many ranks. Does nothing unless a launcher has made one.
void open_recorded_links(int ranks);

}  // namespace armature::wait
