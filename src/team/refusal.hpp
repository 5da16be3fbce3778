#pragma once

#include <array>
#include <cstdint>

#include "team/making.hpp"
#include "transport/links.hpp"
#include "wait/rank_context.hpp"

// A rank that cannot make a team says so to those who wait for its invitation, and to who has
// invited it. Perhaps it has no memory for a mailbox: so this needs none. A word in the head of the
// receiver's segment, one for each pair of ranks, says which call was refused; the receiver clears
// it.
//
// Claim: no refusal is lost. A rank refuses again only when the word is clear, so when the receiver
// has seen the refusal before. It will, as it must come to that call, too. (After a death it may
// have left the call out; then the word may be overwritten.)
//
// Between nodes both have such a word in their own memory, and records carry what is written.

namespace armature::team {

/// Waits until the receiver has seen what this rank has refused before.
void refuse(wait::RankContext& me, int to, const Making& making);

/// Whether that rank has refused the call, which is known from then on.
[[nodiscard]] bool was_refused(wait::RankContext& me, int from, const Making& making);

extern const std::array<transport::Handling, 1> refusal_handlers;

}  // namespace armature::team
