#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include <armature/layer.hpp>
#include <armature/rank.hpp>

// A layer as others write theirs, on <armature/layer.hpp> alone. Each rank has a board of counters.
// Anybody adds to them, and asks to be told when one has come so far; such requests are posted at
// the board until it has. Boards, posted and open requests lie in the memory of processes, so the
// layer packs them when their rank goes elsewhere.

namespace board {

using armature::Rank;

/// Called before armature::run.
void add_to_process();
[[nodiscard]] armature::layer::Context context();

/// Adds to a counter of that rank. Returns at once; false: the rank has died.
bool add(Rank to, int counter, long value);
/// Asks to be told once a counter of `whom` is at least so large. Returns the request's number.
[[nodiscard]] std::uint32_t ask(Rank whom, int counter, long at_least);
/// Returns what the counter was then; nothing: the rank that was asked has died.
[[nodiscard]] std::optional<long> await(std::uint32_t request);
/// Adds to a counter of that rank how many of the bytes are `of`, which may be many.
bool add_bytes(Rank to, int counter, std::byte of, std::span<const std::byte> bytes);
/// Reads a counter of the calling rank's board.
[[nodiscard]] long value(int counter);

/// Packs so many bytes more with the calling rank's board.
void set_ballast(std::size_t bytes);

/// Counts what the layer has been told in this process.
struct Told {
  long packed = 0, unpacked = 0, forgotten = 0, asked_to_be_quiet = 0;
};
[[nodiscard]] Told told();
/// How many deaths the calling rank has been told of.
[[nodiscard]] long deaths();
/// Waits that a handler must not make.
enum class Wait { for_condition, to_send, to_receive, to_probe, for_memory };
/// Lets that rank's handler wait so.
void wait_in_a_handler(Rank rank, Wait what);

}  // namespace board
