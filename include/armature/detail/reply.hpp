#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "armature/detail/export.hpp"
#include "armature/detail/wire.hpp"
#include "armature/rank.hpp"

namespace armature::detail {

struct Call;

/// The place in a caller's own segment where it waits for a result; the rank that answers writes
/// into it directly. The states before `waiting` are the caller's. The others are written once, by
/// the rank that answers.
struct alignas(64) Reply {
  enum State : std::uint16_t {
    free,
    waiting,
    answered,  // `bytes` of result, here or in a block of the answerer
    threw,     // the same, with the text of an exception
    refused,   // the same: it was not executed at all
  };
  static constexpr std::size_t inline_bytes = 40;

  // Release by the answerer: the result is in place.
  std::atomic<std::uint16_t> state{free};
  std::uint16_t code = 0;  // of an error: Errc + 1, or 0
  // The promise's number, in a slot that any rank may answer, or none (remote_promise), which is
  // even and never 0. Whoever answers takes it first (number + 1); who waits no more takes it back
  // (0). So the two never use the slot together, and who comes too late finds another number.
  std::atomic<std::uint32_t> promise{0};
  std::uint64_t bytes = 0;
  std::uint64_t block = 0;  // long results: where they lie
  std::byte inline_result[inline_bytes];
};
static_assert(sizeof(Reply) == 64);

/// A reply slot for a two-way call to that rank; an awaited one for a caller that calls await_reply
/// next. Throws Error(nesting) when the call would be too deep.
ARMATURE_API Reply* new_reply(Rank to);
ARMATURE_API Reply* new_awaited_reply(Rank to);
/// Makes a reply that is answered by a promise, of that number.
ARMATURE_API Reply* new_promised_reply(Rank likely, std::uint32_t& number);
/// Gives it back; when it is still waited for, as soon as the answer has come,
/// or at once if it is promised.
ARMATURE_API void drop_reply(Reply* reply) noexcept;
/// Blocks, executing incoming requests, until the answer is there. Throws what the method threw.
ARMATURE_API void await_reply(Reply* reply, Rank from);
/// Throws what the method threw, if it did.
ARMATURE_API void check_reply(Reply* reply, Rank from);
[[nodiscard]] ARMATURE_API bool reply_is_there(const Reply* reply);
/// The result's bytes.
ARMATURE_API Reader read_reply(const Reply* reply);

/// Room for a result; publish_reply() makes it visible.
ARMATURE_API std::byte* reply_room(Call& call, std::size_t bytes);
ARMATURE_API void publish_reply(Call& call);

}  // namespace armature::detail
