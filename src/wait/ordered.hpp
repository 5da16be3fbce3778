#pragma once

#include <cstddef>

#include "races/races.hpp"
#include "wait/rank_context.hpp"

// Calls that say what orders the calling rank with others, to who looks for unordered accesses.
// Each costs a load and a branch where nobody looks.

namespace armature::wait {

/// A record or message of that rank has come, or its answer; -1: of any.
inline void hear_from(int other) {
  if (!races::looks()) [[likely]]
    return;
  if (const RankContext* const me = current_rank()) races::hear_from(me->space.me(), other);
}
/// It has seen words of its own memory as others have left them.
inline void hear_of(const void* words, std::size_t bytes) {
  if (!races::looks()) [[likely]]
    return;
  if (const RankContext* const me = current_rank()) races::hear_of(me->space.me(), words, bytes);
}
/// It tells by a word of `target`, which is behind all that it has done.
inline void tell(int target, const void* word, const char* call) {
  if (!races::looks()) [[likely]]
    return;
  if (const RankContext* const me = current_rank()) races::tell(me->space.me(), target, word, call);
}
/// Its puts are complete, at that rank or at all (-1).
inline void complete_puts(int target) {
  if (!races::looks()) [[likely]]
    return;
  if (const RankContext* const me = current_rank()) races::fence(me->space.me(), target);
}

}  // namespace armature::wait
